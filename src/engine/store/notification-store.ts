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
