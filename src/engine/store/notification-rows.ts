import type { StoredNotification } from './notification-store.ts';

export type NotificationRow = Omit<StoredNotification, 'seen'> & { readonly seen: number };

/** Number of ended notifications to keep: more than anyone reads. */
export const MAX_STORED = 500;

export const COLUMNS = `seq, id, kind, subject, raised_at AS "raisedAt", ended_at AS "endedAt", seen, title, body,
  decision_id AS "decisionId"`;
export const WEBHOOK = 'SELECT url, attempted_at AS "attemptedAt", error FROM notification_webhook';

export const toNotification = (row: NotificationRow): StoredNotification => ({ ...row, seen: row.seen === 1 });
