import type { NotificationKind } from '../../api/notifications.ts';

/** A lasting condition of which the operator is notified. At most one notification of a kind is open per subject. */
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
  /** Number of the notification, in increasing order. */
  readonly seq: number;
  /** Epoch ms; null while the condition lasts. */
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
   * Adds a notification, which is sent if a webhook is set.
   *
   * @returns undefined, with nothing written, if one of this kind and subject is already open
   */
  raiseNotification(notification: NewNotification): Promise<StoredNotification | undefined>;
  /** Ends the open notification, whose end is then sent. @returns undefined if none is open */
  endNotification(happening: Condition, endedAt: number): Promise<StoredNotification | undefined>;
  /** Oldest first. */
  openNotifications(): Promise<StoredNotification[]>;
  /** Newest first. */
  listNotifications(limit: number): Promise<StoredNotification[]>;
  countUnseenNotifications(): Promise<number>;
  markNotificationsSeen(upTo: number): Promise<void>;
  /** Notifications whose start or end has not been sent to the webhook yet, oldest first. */
  dueNotifications(): Promise<StoredNotification[]>;
  /** Records that the webhook has received the notification in this state, or that it need not be sent any more. */
  notificationSent(sent: Pick<StoredNotification, 'seq' | 'endedAt'>): Promise<void>;
  findNotificationWebhook(): Promise<NotificationWebhook | undefined>;
  /** Sets the URL. Earlier notifications are not sent to a new URL. Null: notifications are not sent. */
  saveNotificationWebhook(url: string | null): Promise<void>;
  saveNotificationAttempt(attempt: Omit<NotificationWebhook, 'url'>): Promise<void>;
}
