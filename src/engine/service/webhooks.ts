import { EngineError } from '../../shared/errors.ts';
import type { Webhook } from '../store/store.ts';
import { requirePaymaster } from './paymasters.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

type WebhookView = Omit<Webhook, 'paymasterId'>;

const view = ({ webhookId, webhookUrl, requestType, active }: Webhook): WebhookView => ({
  webhookId,
  webhookUrl,
  requestType,
  active,
});

/** Registered webhooks of a DApp. */
export const webhookHandlers = (context: ServiceContext): Handlers<NamesOf<'webhooks'>> => {
  const { store, entropy, vault } = context;
  return {
    'webhooks.create': async ({ paymasterId, webhookUrl, requestType }) => {
      await requirePaymaster(context, paymasterId);
      const webhook: Webhook = { webhookId: entropy.uuid(), paymasterId, webhookUrl, requestType, active: true };
      await store.createWebhook(webhook);
      return view(webhook);
    },
    'webhooks.list': async ({ paymasterId, webhookId }) => {
      await requirePaymaster(context, paymasterId);
      const { webhooks } = await store.dappPolicy(paymasterId);
      return webhooks.filter((webhook) => webhookId === undefined || webhook.webhookId === webhookId).map(view);
    },
    'webhooks.update': async ({ paymasterId, webhookId, active }) => {
      await requirePaymaster(context, paymasterId);
      if (!(await store.setWebhookActive(paymasterId, webhookId, active))) throw new EngineError('WEBHOOK_NOT_FOUND');
      return null;
    },
    'webhooks.delete': async ({ paymasterId, webhookId }) => {
      await requirePaymaster(context, paymasterId);
      if (!(await store.deleteWebhook(paymasterId, webhookId))) throw new EngineError('WEBHOOK_NOT_FOUND');
      return null;
    },
    'webhooks.secret': async ({ webhookId }) => {
      if (!(await store.isWebhook(webhookId))) throw new EngineError('WEBHOOK_NOT_FOUND');
      return { webhookId, secret: vault.webhookSecret(webhookId).reveal() };
    },
  };
};
