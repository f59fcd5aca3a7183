import type { Condition, NewNotification, NotificationWebhook, StoredNotification } from '../notification-store.ts';
import type { Access } from '../access.ts';
import type { Value } from '../rows.ts';
import { alertDue } from './alerts.ts';
import { NOTIFICATION, listOfNotifications, notifications } from './notification-rows.ts';

/** Number of ended notifications to keep: more than anyone reads. */
const MAX_STORED = 500;

const INSERT = `INSERT INTO notification (id, kind, subject, raised_at, due, title, body, decision_id)
  VALUES ($1, $2, $3, $4, (SELECT count(*) FROM notification_webhook), $5, $6, $7)
  ON CONFLICT DO NOTHING RETURNING ${NOTIFICATION}`;
const END = `UPDATE notification SET ended_at = $1, due = (SELECT count(*) FROM notification_webhook)
  WHERE kind = $2 AND subject = $3 AND ended_at IS NULL RETURNING ${NOTIFICATION}`;
/**
 * Counts rows instead of subtracting numbers, because on PostgreSQL, a refused insert uses up a `seq`. What an event
 * webhook has not received yet is kept.
 */
const TRIM = `DELETE FROM notification WHERE ended_at IS NOT NULL
  AND seq <= (SELECT seq FROM notification ORDER BY seq DESC LIMIT 1 OFFSET ${MAX_STORED})
  AND seq <= (SELECT coalesce(min(notification), ${Number.MAX_SAFE_INTEGER}) FROM event_position)`;
const FORGET_ALERTS = 'DELETE FROM alert_due WHERE notification NOT IN (SELECT seq FROM notification)';
const SAVE_WEBHOOK = `INSERT INTO notification_webhook ("only", url) VALUES (1, $1)
  ON CONFLICT ("only") DO UPDATE SET url = excluded.url, attempted_at = NULL, error = NULL`;

/**
 * The newest 500 ended notifications are kept. Other engines are informed as about settings, so that their consoles show the
 * notification.
 */
export const notificationStore = ({ rows, write }: Access) => {
  const list = (rest: string, values?: readonly number[]) => listOfNotifications(rows, rest, values);
  const update = async (sql: string, values: readonly Value[]): Promise<void> => {
    await write((tx) => tx.run(sql, values));
  };

  return {
    /**
     * Adds a notification, which is sent if a webhook is set.
     *
     * @returns undefined, with nothing written, if one of this kind and subject is already open
     */
    raiseNotification: (notification: NewNotification): Promise<StoredNotification | undefined> =>
      write(function* (tx) {
        const { id, kind, subject, raisedAt, title, body, decisionId } = notification;
        const row = yield* tx.get<{ seq: number }>(INSERT, [id, kind, subject, raisedAt, title, body, decisionId]);
        if (row === undefined) return undefined;
        yield* alertDue(tx, row.seq, false);
        yield* tx.run(TRIM);
        yield* tx.run(FORGET_ALERTS);
        tx.settingsChanged('other');
        return notifications.read(row);
      }),
    /** Ends the open notification, whose end is then sent. @returns undefined if none is open */
    endNotification: ({ kind, subject }: Condition, endedAt: number): Promise<StoredNotification | undefined> =>
      write(function* (tx) {
        const row = yield* tx.get<{ seq: number }>(END, [endedAt, kind, subject]);
        if (row === undefined) return undefined;
        yield* alertDue(tx, row.seq, true);
        tx.settingsChanged('other');
        return notifications.read(row);
      }),
    /** Oldest first. */
    openNotifications: () => list('WHERE ended_at IS NULL ORDER BY seq'),
    /** Newest first. */
    listNotifications: (limit: number) => list('ORDER BY seq DESC LIMIT $1', [limit]),
    async countUnseenNotifications(): Promise<number> {
      const row = await rows.get<{ unseen: number }>('SELECT count(*) AS unseen FROM notification WHERE seen = 0');
      return row?.unseen ?? 0;
    },
    markNotificationsSeen: (upTo: number) =>
      update('UPDATE notification SET seen = 1 WHERE seen = 0 AND seq <= $1', [upTo]),
    /** Notifications whose start or end has not been sent to the webhook yet, oldest first. */
    dueNotifications: () => list('WHERE due = 1 ORDER BY seq'),
    /** Records that the webhook has received the notification in this state, or that it need not be sent any more. */
    notificationSent: ({ seq, endedAt }: Pick<StoredNotification, 'seq' | 'endedAt'>) =>
      update('UPDATE notification SET due = 0 WHERE seq = $1 AND ended_at IS NOT DISTINCT FROM $2', [seq, endedAt]),
    findNotificationWebhook: () =>
      rows.get<NotificationWebhook>('SELECT url, attempted_at, error FROM notification_webhook'),
    /** Sets the URL. Earlier notifications are not sent to a new URL. Null: notifications are not sent. */
    saveNotificationWebhook: (url: string | null): Promise<void> =>
      write(function* (tx) {
        yield* tx.run('UPDATE notification SET due = 0 WHERE due = 1');
        if (url === null) yield* tx.run('DELETE FROM notification_webhook');
        else yield* tx.run(SAVE_WEBHOOK, [url]);
      }),
    saveNotificationAttempt: ({ attemptedAt, error }: Omit<NotificationWebhook, 'url'>) =>
      update('UPDATE notification_webhook SET attempted_at = $1, error = $2', [attemptedAt, error]),
  };
};

export type NotificationStore = ReturnType<typeof notificationStore>;
