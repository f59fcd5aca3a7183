import type { AlertKind, QuietHours } from '../../shared/schema/alert-channel.ts';
import type { StoredNotification } from './notification-store.ts';

/** Where alerts are sent. Its URL is in the vault, because it is a credential. */
export interface AlertChannel {
  readonly channelId: string;
  /** Only alerts that concern the DApps of this account; null: all. */
  readonly accountId: string | null;
  readonly kind: AlertKind;
  /** Host of its URL, which may be shown. */
  readonly host: string;
  /** Mail address, or the id of a Telegram chat; null for other chats. */
  readonly recipient: string | null;
  /** Mail address; null for chats. */
  readonly sender: string | null;
  readonly quiet: QuietHours | null;
  readonly active: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Result of the last call. */
export interface AlertAttempt {
  /** Failed calls in a row. */
  readonly attempts: number;
  /** Time from which alerts are sent again, epoch ms. */
  readonly nextAt: number;
  /** Epoch ms; null before the first call. */
  readonly attemptedAt: number | null;
  /** null: it succeeded. */
  readonly error: string | null;
}

export interface UsedAlertChannel extends AlertChannel, AlertAttempt {}

/** A notification whose start or end is still to be sent. */
export interface DueAlert {
  readonly notification: StoredNotification;
  readonly isEnd: boolean;
}
