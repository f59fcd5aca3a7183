import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createPollLoop } from '../chain/poll-loop.ts';
import type { Vault } from '../signer/vault.ts';
import type { NotificationStore } from '../store/tables/notifications.ts';
import type { StoredNotification } from '../store/notification-store.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import { refusalOf } from '../webhooks/refusal.ts';
import { fullWebhookUrl } from '../webhooks/url-in-vault.ts';
import type { Notifications } from './notifications.ts';
import { pageOf } from './words.ts';

export interface DeliveryOptions {
  readonly notifications: Pick<Notifications, 'follow'>;
  readonly store: NotificationStore;
  readonly webhooks: Pick<Deliverer, 'deliver'>;
  readonly isLeader: () => boolean;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly address: () => string | null;
}

export interface Delivery {
  /** Sends notifications that are due, and from then on new ones. */
  start(): void;
  /**
   * Sends a test notification, once.
   *
   * @returns why it failed; undefined if it succeeded
   * @throws EngineError `WEBHOOK_NOT_FOUND` if no webhook is set
   */
  test(): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Id of the webhook's URL and secret in the vault. */
export const NOTIFICATION_WEBHOOK = 'notifications';

/** How often to check for due notifications. After a failure the interval doubles, up to a minute. */
const POLL_MS = 5_000;
/** After this time, notifications that the webhook has not accepted are dropped. */
const GIVE_UP_MS = 24 * 3_600_000;

/**
 * Delivers notifications to the operator's webhook. Calls are made, signed and restricted like those of DApps'
 * webhooks. Due notifications survive a restart.
 */
export const createDelivery = (options: DeliveryOptions): Delivery => {
  const { notifications, store, isLeader, webhooks, vault, clock, entropy, log, address } = options;

  const call = async (shown: string, id: string, webhookData: Record<string, unknown>): Promise<string | undefined> => {
    const response = await webhooks.deliver({
      webhookId: NOTIFICATION_WEBHOOK,
      method: 'POST',
      decisionId: id,
      webhookData,
      url: fullWebhookUrl(vault, NOTIFICATION_WEBHOOK, shown),
      secret: vault.webhookSecret(NOTIFICATION_WEBHOOK),
    });
    return refusalOf(response);
  };
  const withErrorRecord = async (send: () => Promise<string | undefined>): Promise<string | undefined> => {
    const error = await send().catch((cause: unknown) => {
      if (cause instanceof EngineError) return cause.message;
      throw cause;
    });
    await store.saveNotificationAttempt({ attemptedAt: clock.now(), error: error ?? null });
    return error;
  };

  const send = async (url: string, notification: StoredNotification): Promise<void> => {
    const { id, kind, title, body, raisedAt, endedAt } = notification;
    const event = endedAt === null ? 'raised' : 'ended';
    const [desk, page] = [address(), pageOf(notification)];
    const data = {
      type: `notification.${event}`,
      id,
      kind,
      title,
      body,
      raisedAt,
      endedAt,
      page: desk === null ? null : `${desk}/console/#${page}`,
    };
    const error = await withErrorRecord(() => call(url, `${id}.${event}`, data));
    // The loop retries.
    if (error !== undefined) throw new Error(error);
    await store.notificationSent(notification);
  };

  const poll = async (stop: AbortSignal): Promise<void> => {
    const webhook = isLeader() ? await store.findNotificationWebhook() : undefined;
    if (webhook === undefined) return;
    for (const notification of await store.dueNotifications()) {
      if (stop.aborted) return;
      const isOld = clock.now() - (notification.endedAt ?? notification.raisedAt) > GIVE_UP_MS;
      if (isOld) await store.notificationSent(notification);
      else await send(webhook.url, notification);
    }
  };
  const loop = createPollLoop({ clock, log, name: 'notificationWebhook', everyMs: POLL_MS, poll });
  let unfollow = (): void => undefined;
  return {
    start() {
      unfollow = notifications.follow(() => void loop.pollNow());
      loop.start();
    },
    async test() {
      const webhook = await store.findNotificationWebhook();
      if (webhook === undefined) throw new EngineError('WEBHOOK_NOT_FOUND');
      const data = { type: 'notification.test', title: 'A test of Gasdesk', body: 'Notifications arrive here.' };
      return withErrorRecord(() => call(webhook.url, entropy.uuid(), data));
    },
    async stop() {
      unfollow();
      await loop.stop();
    },
  };
};
