import type { EventDeliveryView, EventWebhookView } from '../../api/event-webhooks.ts';
import { EngineError } from '../../shared/errors.ts';
import { eventTypes } from '../../shared/schema/event-type.ts';
import type { EventScope, PlacedWebhook, StoredDelivery } from '../store/event-store.ts';
import { forgetWebhookUrl, keepWebhookUrl } from '../webhooks/url-in-vault.ts';
import { requireDapp } from './dapps.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Maximum number of event webhooks of a DApp, of an account, and of the desk. */
const MOST = 20;

interface Owner {
  readonly accountId?: string | undefined;
  readonly paymasterId?: string | undefined;
}

const view = ({ position, ...webhook }: PlacedWebhook): EventWebhookView => {
  const { attempts, failedAt, nextAt } = position;
  return {
    ...webhook,
    events: [...webhook.events],
    failing: failedAt === null ? null : { attempts, since: failedAt, nextAt },
  };
};

const deliveryView = ({ webhookId: _w, source: _s, position: _p, ...row }: StoredDelivery): EventDeliveryView => ({
  ...row,
  requestHeaders: JSON.parse(row.requestHeaders) as Record<string, string>,
});

/** Procedures for event webhooks (behaviour 10.1). */
export const eventWebhookHandlers = (context: ServiceContext): Handlers<NamesOf<'eventWebhooks'>> => {
  const { store, vault, clock, entropy, events: sender, notifications } = context;

  const listOf = async ({ accountId, paymasterId }: Owner): Promise<PlacedWebhook[]> =>
    (await store.listEventWebhooks()).filter(
      (webhook) =>
        (accountId === undefined || webhook.accountId === accountId) &&
        (paymasterId === undefined || webhook.paymasterId === paymasterId),
    );
  const requireWebhook = async ({ webhookId, ...owner }: Owner & { webhookId: string }): Promise<PlacedWebhook> => {
    const found = (await listOf(owner)).find((webhook) => webhook.webhookId === webhookId);
    if (found === undefined) throw new EngineError('WEBHOOK_NOT_FOUND');
    return found;
  };
  const requireScope = async ({ accountId, paymasterId }: Owner): Promise<EventScope> => {
    if (paymasterId !== undefined) await requireDapp(context, paymasterId);
    if (accountId !== undefined && (await store.findAccount(accountId)) === undefined)
      throw new EngineError('ACCOUNT_NOT_FOUND');
    const scope: EventScope = { accountId: accountId ?? null, paymasterId: paymasterId ?? null };
    const same = (await store.listEventWebhooks()).filter(
      (webhook) => webhook.accountId === scope.accountId && webhook.paymasterId === scope.paymasterId,
    );
    if (same.length >= MOST) throw new EngineError('TOO_MANY', `There are already ${MOST} such event webhooks`);
    return scope;
  };

  return {
    'eventWebhooks.create': async ({ accountId, paymasterId, url, events = [...eventTypes] }) => {
      const scope = await requireScope({ accountId, paymasterId });
      const webhookId = entropy.uuid();
      const secret = vault.webhookSecret(webhookId).reveal();
      const shown = await keepWebhookUrl(vault, webhookId, url);
      const unique = eventTypes.filter((type) => events.includes(type));
      await store.createEventWebhook({
        ...scope,
        webhookId,
        url: shown,
        events: unique,
        active: true,
        createdAt: clock.now(),
      });
      return { ...view(await requireWebhook({ webhookId })), secret };
    },
    'eventWebhooks.list': async (owner) => (await listOf(owner)).map(view),
    'eventWebhooks.update': async ({ url, events, active, ...named }) => {
      const before = await requireWebhook(named);
      const { webhookId } = before;
      const isNew = url !== undefined && url !== before.url;
      const shown = isNew ? await keepWebhookUrl(vault, webhookId, url) : before.url;
      await store.saveEventWebhook({
        webhookId,
        url: shown,
        events: events === undefined ? before.events : eventTypes.filter((type) => events.includes(type)),
        active: active ?? before.active,
      });
      if (isNew && shown === url) await forgetWebhookUrl(vault, webhookId);
      sender.wake();
      return view(await requireWebhook(named));
    },
    'eventWebhooks.delete': async (named) => {
      const { webhookId } = await requireWebhook(named);
      await store.deleteEventWebhook(webhookId);
      await forgetWebhookUrl(vault, webhookId);
      await notifications.end({ kind: 'eventWebhook', subject: webhookId });
      return null;
    },
    'eventWebhooks.deliveries': async ({ before, limit, ...named }) => {
      const { webhookId } = await requireWebhook(named);
      return (await store.listEventDeliveries({ webhookId, before, limit })).map(deliveryView);
    },
    'eventWebhooks.redeliver': async ({ deliveryId, ...named }) => {
      const { webhookId } = await requireWebhook(named);
      const deliveries = await store.redeliverEvents(webhookId, deliveryId);
      if (deliveryId !== undefined && deliveries === 0) throw new EngineError('DELIVERY_NOT_FOUND');
      sender.wake();
      return { deliveries };
    },
  };
};
