import type { ProcedureOutput } from '../../api/index.ts';
import { NOTIFICATION_WEBHOOK } from '../notifications/delivery.ts';
import { pageOf } from '../notifications/words.ts';
import type { StoredNotification } from '../store/notification-store.ts';
import { forgetWebhookUrl, keepWebhookUrl } from '../webhooks/url-in-vault.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

type View = ProcedureOutput<'notifications.list'>['notifications'][number];

export const notificationView = (notification: StoredNotification): View => {
  const { id, seq, kind, title, body, raisedAt, endedAt, seen } = notification;
  return { id, seq, kind, title, body, raisedAt, endedAt, seen, page: pageOf(notification) };
};

export const notificationHandlers = (context: ServiceContext): Handlers<NamesOf<'notifications'>> => {
  const { store, vault, delivery } = context;
  const webhook = async () => {
    const { url = null, attemptedAt = null, error = null } = (await store.findNotificationWebhook()) ?? {};
    return { url, attemptedAt, error, waiting: (await store.dueNotifications()).length };
  };
  return {
    'notifications.list': async ({ limit }) => ({
      unseen: await store.countUnseenNotifications(),
      notifications: (await store.listNotifications(limit)).map(notificationView),
    }),
    'notifications.markSeen': async ({ upTo }) => {
      await store.markNotificationsSeen(upTo);
      return null;
    },
    'notifications.webhook': webhook,
    'notifications.setWebhook': async ({ url }) => {
      if (url !== null && url === (await store.findNotificationWebhook())?.url) return webhook();
      const shown = url === null ? null : await keepWebhookUrl(vault, NOTIFICATION_WEBHOOK, url);
      await store.saveNotificationWebhook(shown);
      if (shown === url) await forgetWebhookUrl(vault, NOTIFICATION_WEBHOOK);
      return webhook();
    },
    'notifications.secret': async () => ({ secret: vault.webhookSecret(NOTIFICATION_WEBHOOK).reveal() }),
    'notifications.test': async () => {
      const error = await delivery.test();
      return { ok: error === undefined, message: error ?? 'The webhook accepted the test notification.' };
    },
  };
};
