import { COLUMNS, MAX_STORED, type NotificationRow, toNotification, WEBHOOK } from '../notification-rows.ts';
import type { NotificationStore, NotificationWebhook } from '../notification-store.ts';
import type { Access } from './writer.ts';

const INSERT = `INSERT INTO notification (id, kind, subject, raised_at, due, title, body, decision_id)
  VALUES ($1, $2, $3, $4, (SELECT count(*) FROM notification_webhook), $5, $6, $7)
  ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`;
const END = `UPDATE notification SET ended_at = $1, due = (SELECT count(*) FROM notification_webhook)
  WHERE kind = $2 AND subject = $3 AND ended_at IS NULL RETURNING ${COLUMNS}`;
/** Refused inserts consume a `seq` too, so count rows instead of subtracting. */
const TRIM = `DELETE FROM notification WHERE ended_at IS NOT NULL
  AND seq <= (SELECT seq FROM notification ORDER BY seq DESC OFFSET ${MAX_STORED} LIMIT 1)`;
const SAVE_WEBHOOK = `INSERT INTO notification_webhook ("only", url) VALUES (1, $1)
  ON CONFLICT ("only") DO UPDATE SET url = excluded.url, attempted_at = NULL, error = NULL`;

/** Other engines are notified as for settings, so that their consoles show it. */
export const notificationStore = ({ rows, writer }: Omit<Access, 'cache'>): NotificationStore => {
  const list = async (rest: string, values: readonly number[] = []) =>
    (await rows.all<NotificationRow>(`SELECT ${COLUMNS} FROM notification ${rest}`, values)).map(toNotification);
  const write = (sql: string, values: readonly (number | string | null)[]): Promise<void> =>
    writer.run(async (tx) => {
      await tx.run(sql, values);
    });

  return {
    raiseNotification: ({ id, kind, subject, raisedAt, title, body, decisionId }) =>
      writer.run(async (tx) => {
        const row = await tx.get<NotificationRow>(INSERT, [id, kind, subject, raisedAt, title, body, decisionId]);
        if (row === undefined) return undefined;
        await tx.run(TRIM);
        tx.settingsChanged('other');
        return toNotification(row);
      }),
    endNotification: ({ kind, subject }, endedAt) =>
      writer.run(async (tx) => {
        const row = await tx.get<NotificationRow>(END, [endedAt, kind, subject]);
        if (row !== undefined) tx.settingsChanged('other');
        return row && toNotification(row);
      }),
    openNotifications: () => list('WHERE ended_at IS NULL ORDER BY seq'),
    listNotifications: (limit) => list('ORDER BY seq DESC LIMIT $1', [limit]),
    async countUnseenNotifications() {
      const row = await rows.get<{ unseen: number }>('SELECT count(*) AS unseen FROM notification WHERE seen = 0');
      return row?.unseen ?? 0;
    },
    markNotificationsSeen: (upTo) => write('UPDATE notification SET seen = 1 WHERE seen = 0 AND seq <= $1', [upTo]),
    dueNotifications: () => list('WHERE due = 1 ORDER BY seq'),
    notificationSent: ({ seq, endedAt }) =>
      write('UPDATE notification SET due = 0 WHERE seq = $1 AND ended_at IS NOT DISTINCT FROM $2', [seq, endedAt]),
    findNotificationWebhook: () => rows.get<NotificationWebhook>(WEBHOOK),
    saveNotificationWebhook: (url) =>
      writer.run(async (tx) => {
        await tx.run('UPDATE notification SET due = 0 WHERE due = 1');
        if (url === null) await tx.run('DELETE FROM notification_webhook');
        else await tx.run(SAVE_WEBHOOK, [url]);
      }),
    saveNotificationAttempt: ({ attemptedAt, error }) =>
      write('UPDATE notification_webhook SET attempted_at = $1, error = $2', [attemptedAt, error]),
  };
};
