import { webhook } from '../../core/rules/webhook.ts';
import type { WebhookVerdict } from '../../core/webhooks/verdict.ts';
import { explainDenial } from '../../core/decision/rule-words.ts';
import { EngineError } from '../../shared/errors.ts';
import { newDecisionId } from '../sponsorship/decision-id.ts';
import { responseVerdict } from '../../core/webhooks/webhook-response.ts';
import { tryWebhook } from '../sponsorship/webhook-calls.ts';
import type { Webhook } from '../store/policy-store.ts';
import { forgetWebhookUrl, keepWebhookUrl, ownersWebhookUrl } from '../webhooks/url-in-vault.ts';
import { requireDapp } from './dapps.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

type WebhookView = Omit<Webhook, 'paymasterId'>;

const view = ({ webhookId, webhookUrl, requestType, active }: Webhook): WebhookView => ({
  webhookId,
  webhookUrl,
  requestType,
  active,
});

/** What a webhook's answer means for an operation that no other rule denies. */
const explain = (verdict: WebhookVerdict): { message: string; hint: string } => {
  const { outcome, code, evidence } = verdict;
  if (outcome === 'deny') return explainDenial(code, evidence);
  const message =
    code === 'WEBHOOK_FAILED_OPEN'
      ? 'It did not answer, and its rule lets operations pass in that case.'
      : 'Verified: an operation with this data passes this webhook.';
  return { message, hint: '' };
};

/** Procedures for a DApp's registered webhooks. */
export const webhookHandlers = (context: ServiceContext): Handlers<NamesOf<'webhooks'>> => {
  const { store, clock, entropy, vault } = context;
  return {
    'webhooks.create': async ({ paymasterId, webhookUrl, requestType }) => {
      await requireDapp(context, paymasterId);
      const webhookId = entropy.uuid();
      const shown = await keepWebhookUrl(vault, webhookId, webhookUrl);
      const webhook: Webhook = { webhookId, paymasterId, webhookUrl: shown, requestType, active: true };
      try {
        await store.createWebhook(webhook);
      } catch (error) {
        // The URLs of refused webhooks must not remain in the vault.
        if (shown !== webhookUrl) await forgetWebhookUrl(vault, webhookId);
        throw error;
      }
      return view(webhook);
    },
    'webhooks.list': async ({ paymasterId, webhookId, whole }) => {
      await requireDapp(context, paymasterId);
      const { webhooks } = await store.dappPolicy(paymasterId);
      const found = webhooks.filter((webhook) => webhookId === undefined || webhook.webhookId === webhookId).map(view);
      if (whole !== true) return found;
      return found.map((one) => ({ ...one, webhookUrl: ownersWebhookUrl(vault, one.webhookId, one.webhookUrl) }));
    },
    'webhooks.update': async ({ paymasterId, webhookId, active }) => {
      await requireDapp(context, paymasterId);
      if (!(await store.setWebhookActive(paymasterId, webhookId, active))) throw new EngineError('WEBHOOK_NOT_FOUND');
      return null;
    },
    'webhooks.setUrl': async ({ paymasterId, webhookId, webhookUrl }) => {
      await requireDapp(context, paymasterId);
      const { webhooks } = await store.dappPolicy(paymasterId);
      const known = webhooks.find((webhook) => webhook.webhookId === webhookId);
      if (known === undefined) throw new EngineError('WEBHOOK_NOT_FOUND');
      // A URL in its shown form stays unchanged.
      if (known.webhookUrl === webhookUrl) return null;
      const shown = await keepWebhookUrl(vault, webhookId, webhookUrl);
      await store.setWebhookUrl(paymasterId, webhookId, shown);
      if (shown === webhookUrl) await forgetWebhookUrl(vault, webhookId);
      return null;
    },
    'webhooks.delete': async ({ paymasterId, webhookId }) => {
      await requireDapp(context, paymasterId);
      if (!(await store.deleteWebhook(paymasterId, webhookId))) throw new EngineError('WEBHOOK_NOT_FOUND');
      await forgetWebhookUrl(vault, webhookId);
      return null;
    },
    'webhooks.calls': async ({ paymasterId, decisions }) => {
      await requireDapp(context, paymasterId);
      return store.webhookCalls({ paymasterId, decisions });
    },
    'webhooks.secret': async ({ webhookId }) => {
      if (!(await store.isWebhook(webhookId))) throw new EngineError('WEBHOOK_NOT_FOUND');
      return { webhookId, secret: vault.webhookSecret(webhookId).reveal() };
    },
    'webhooks.test': async (trial) => {
      const decisionId = newDecisionId(clock.now(), entropy);
      for (const { paymasterId } of await store.listDapps()) {
        const response = await tryWebhook(context, await store.dappPolicy(paymasterId), {
          ...trial,
          decisionId,
          paymasterId,
        });
        if (response === undefined) continue;
        const verdict = responseVerdict(response);
        const { call, micros } = response;
        return { step: { rule: webhook.type, ...verdict, call, micros }, ...explain(verdict) };
      }
      throw new EngineError('WEBHOOK_NOT_FOUND');
    },
  };
};
