import type { StoredNotification } from './notification-store.ts';

/** A notification as it is stored. */
export type NotificationRow = Omit<StoredNotification, 'seen'> & { readonly seen: number };

/** How many are kept of those that are over: more than anybody reads. */
export const KEPT = 500;

/** The columns of a notification. */
export const COLUMNS = `seq, id, kind, subject, raised_at AS "raisedAt", ended_at AS "endedAt", seen, title, body,
  decision_id AS "decisionId"`;
/** SQL of where notifications are sent. */
export const WEBHOOK = 'SELECT url, attempted_at AS "attemptedAt", fault FROM notification_webhook';

/** The notification of a row. */
export const toNotification = (row: NotificationRow): StoredNotification => ({ ...row, seen: row.seen === 1 });
