import type Database from 'better-sqlite3';
import { COLUMNS, MAX_STORED, type NotificationRow as Row, toNotification, WEBHOOK } from '../notification-rows.ts';
import type {
  Condition,
  NewNotification,
  NotificationStore,
  NotificationWebhook,
  StoredNotification,
} from '../notification-store.ts';

export const notificationStore = (database: Database.Database): NotificationStore => {
  const insert = database.prepare<[NewNotification], Row>(
    `INSERT INTO notification (id, kind, subject, raised_at, due, title, body, decision_id)
     VALUES (@id, @kind, @subject, @raisedAt, (SELECT count(*) FROM notification_webhook), @title, @body, @decisionId)
     ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
  );
  const end = database.prepare<[Condition & { endedAt: number }], Row>(
    `UPDATE notification SET ended_at = @endedAt, due = (SELECT count(*) FROM notification_webhook)
     WHERE kind = @kind AND subject = @subject AND ended_at IS NULL RETURNING ${COLUMNS}`,
  );
  const trim = database.prepare<[number]>('DELETE FROM notification WHERE seq <= ? AND ended_at IS NOT NULL');
  const open = database.prepare<[], Row>(`SELECT ${COLUMNS} FROM notification WHERE ended_at IS NULL ORDER BY seq`);
  const list = database.prepare<[number], Row>(`SELECT ${COLUMNS} FROM notification ORDER BY seq DESC LIMIT ?`);
  const unseen = database.prepare<[], number>('SELECT count(*) FROM notification WHERE seen = 0').pluck();
  const see = database.prepare<[number]>('UPDATE notification SET seen = 1 WHERE seen = 0 AND seq <= ?');
  const due = database.prepare<[], Row>(`SELECT ${COLUMNS} FROM notification WHERE due = 1 ORDER BY seq`);
  const sent = database.prepare<[Pick<StoredNotification, 'seq' | 'endedAt'>]>(
    'UPDATE notification SET due = 0 WHERE seq = @seq AND ended_at IS @endedAt',
  );
  const forgetDue = database.prepare<[]>('UPDATE notification SET due = 0 WHERE due = 1');
  const findWebhook = database.prepare<[], NotificationWebhook>(WEBHOOK);
  const saveWebhook = database.prepare<[string]>(
    'INSERT OR REPLACE INTO notification_webhook (only, url) VALUES (1, ?)',
  );
  const removeWebhook = database.prepare<[]>('DELETE FROM notification_webhook');
  const saveAttempt = database.prepare<[Omit<NotificationWebhook, 'url'>]>(
    'UPDATE notification_webhook SET attempted_at = @attemptedAt, error = @error',
  );

  const raise = database.transaction((notification: NewNotification): Row | undefined => {
    const row = insert.get(notification);
    if (row !== undefined) trim.run(row.seq - MAX_STORED);
    return row;
  });
  const setWebhook = database.transaction((url: string | null): void => {
    forgetDue.run();
    if (url === null) removeWebhook.run();
    else saveWebhook.run(url);
  });
  return {
    async raiseNotification(notification) {
      const row = raise(notification);
      return row && toNotification(row);
    },
    async endNotification(happening, endedAt) {
      const row = end.get({ ...happening, endedAt });
      return row && toNotification(row);
    },
    async openNotifications() {
      return open.all().map(toNotification);
    },
    async listNotifications(limit) {
      return list.all(limit).map(toNotification);
    },
    async countUnseenNotifications() {
      return unseen.get() ?? 0;
    },
    async markNotificationsSeen(upTo) {
      see.run(upTo);
    },
    async dueNotifications() {
      return due.all().map(toNotification);
    },
    async notificationSent(notification) {
      sent.run(notification);
    },
    async findNotificationWebhook() {
      return findWebhook.get();
    },
    async saveNotificationWebhook(url) {
      setWebhook(url);
    },
    async saveNotificationAttempt(attempt) {
      saveAttempt.run(attempt);
    },
  };
};
