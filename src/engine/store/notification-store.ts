import type { NotificationKind } from '../../api/notifications.ts';

/** A lasting condition that the operator is notified of. At most one of a kind is open per subject. */
export interface Condition {
  readonly kind: NotificationKind;
  /** Id of a DApp, decimal id of a chain, or empty for the whole installation. */
  readonly subject: string;
}

/** A notification that begins, with its texts at that time. */
export interface NewNotification extends Condition {
  readonly id: string;
  /** Epoch ms. */
  readonly raisedAt: number;
  readonly title: string;
  readonly body: string;
  /** The decision that triggered it; null if none did. */
  readonly decisionId: string | null;
}

export interface StoredNotification extends NewNotification {
  /** Counts upwards. */
  readonly seq: number;
  /** Epoch ms; null while it lasts. */
  readonly endedAt: number | null;
  readonly seen: boolean;
}

export interface NotificationWebhook {
  /** Without user name and password: the full URL is in the vault. */
  readonly url: string;
  /** Time of the last call, epoch ms; null before the first. */
  readonly attemptedAt: number | null;
  /** Error of the last call; null if it succeeded. */
  readonly error: string | null;
}

/** The newest 500 ended notifications are kept. */
export interface NotificationStore {
  /**
   * Adds the notification, to be sent if a webhook is set.
   *
   * @returns undefined, with nothing written, if one of this kind and subject is open
   */
  raiseNotification(notification: NewNotification): Promise<StoredNotification | undefined>;
  /** Ends the open one, which is then sent again. @returns undefined if none is open */
  endNotification(happening: Condition, endedAt: number): Promise<StoredNotification | undefined>;
  /** Oldest first. */
  openNotifications(): Promise<StoredNotification[]>;
  /** Newest first. */
  listNotifications(limit: number): Promise<StoredNotification[]>;
  countUnseenNotifications(): Promise<number>;
  markNotificationsSeen(upTo: number): Promise<void>;
  /** Notifications whose begin or end has not been sent to the webhook, oldest first. */
  dueNotifications(): Promise<StoredNotification[]>;
  /** The webhook has received it in this state, or no longer needs to. */
  notificationSent(sent: Pick<StoredNotification, 'seq' | 'endedAt'>): Promise<void>;
  findNotificationWebhook(): Promise<NotificationWebhook | undefined>;
  /** Earlier notifications are not sent to a new URL. Null: nothing is sent. */
  saveNotificationWebhook(url: string | null): Promise<void>;
  saveNotificationAttempt(attempt: Omit<NotificationWebhook, 'url'>): Promise<void>;
}
