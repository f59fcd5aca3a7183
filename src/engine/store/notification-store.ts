import type { NotificationKind } from '../../api/notifications.ts';

/** Something that the operator is told of, while it lasts. At most one of a kind is open per subject. */
export interface Happening {
  readonly kind: NotificationKind;
  /** What it is about: the id of a DApp, that of a chain in decimals, or empty for the whole desk. */
  readonly subject: string;
}

/** A happening that began, in the words of that time. */
export interface NewNotification extends Happening {
  readonly id: string;
  /** epoch ms */
  readonly raisedAt: number;
  readonly title: string;
  readonly body: string;
  /** The decision that showed it; null where none did. */
  readonly decisionId: string | null;
}

/** A happening as it is kept. */
export interface StoredNotification extends NewNotification {
  /** Counts upwards. */
  readonly seq: number;
  /** epoch ms; null while it lasts. */
  readonly endedAt: number | null;
  readonly seen: boolean;
}

/** Where notifications are sent, and how the last call went. */
export interface NotificationWebhook {
  /** Without a user name and password: that URL is in the vault. */
  readonly url: string;
  /** Of the last call, epoch ms; null before the first. */
  readonly attemptedAt: number | null;
  /** Why it failed; null where it did not. */
  readonly fault: string | null;
}

/** What the operator is told. Part of the store. Of what is over, the newest 500 are kept. */
export interface NotificationStore {
  /**
   * Adds the notification, to be sent where there is a webhook.
   *
   * @returns undefined, with nothing written, while one of this kind and subject is open
   */
  raiseNotification(notification: NewNotification): Promise<StoredNotification | undefined>;
  /** Ends the open one, which is to be sent again. @returns undefined where none is open */
  endNotification(happening: Happening, endedAt: number): Promise<StoredNotification | undefined>;
  /** Those that last, oldest first. */
  openNotifications(): Promise<StoredNotification[]>;
  /** Newest first. */
  listNotifications(limit: number): Promise<StoredNotification[]>;
  countUnseenNotifications(): Promise<number>;
  /** Marks those up to a `seq` as seen. */
  markNotificationsSeen(upTo: number): Promise<void>;
  /** Those of which the webhook does not know yet that they began, or that they ended, oldest first. */
  dueNotifications(): Promise<StoredNotification[]>;
  /** The webhook knows it as it was then, or is not told of it any more. */
  notificationSent(sent: Pick<StoredNotification, 'seq' | 'endedAt'>): Promise<void>;
  findNotificationWebhook(): Promise<NotificationWebhook | undefined>;
  /** What happened before is not sent to a new URL. Null: nothing is sent. */
  saveNotificationWebhook(url: string | null): Promise<void>;
  /** Notes how a call went. */
  saveNotificationAttempt(attempt: Omit<NotificationWebhook, 'url'>): Promise<void>;
}
