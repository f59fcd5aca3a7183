import { type WebhookTarget, webhookTargets } from '../../core/rules/webhook.ts';
import type { WebhookResponse } from '../../core/webhooks/webhook-response.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { Vault } from '../signer/vault.ts';
import type { DappPolicy } from '../store/policy-store.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import type { WebhookRequest } from '../webhooks/request.ts';
import { fullWebhookUrl } from '../webhooks/url-in-vault.ts';
import { blankedResponse } from './blank.ts';
import { cutText } from '../../core/json/cut-for-record.ts';
import type { SponsorshipRequest } from './request-record.ts';

/** A webhook's secret and URL from the vault. @throws EngineError `VAULT_LOCKED` */
const secretAndUrl = (vault: Vault, { webhookId, url }: WebhookTarget): Pick<WebhookRequest, 'secret' | 'url'> => ({
  secret: vault.webhookSecret(webhookId),
  url: fullWebhookUrl(vault, webhookId, url),
});

/** The request for a call. The webhook of a rule also receives the operation. @throws EngineError `VAULT_LOCKED` */
const callOf = (vault: Vault, target: WebhookTarget, op: object | undefined) => {
  const { webhookId, method, failOpen, getsOperation } = target;
  return { webhookId, method, failOpen, ...(getsOperation && op && { userOp: op }), ...secretAndUrl(vault, target) };
};

export interface WebhookTrial {
  readonly webhookId: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The operation; sent only to the webhook of a rule. */
  readonly userOp?: object | undefined;
  /** Has the format of a decision id, but belongs to no stored decision. */
  readonly decisionId: string;
  readonly paymasterId: string;
}

/** A webhook call in the form for the record. Its request contains client data. */
const recordResponse = (response: WebhookResponse): WebhookResponse => {
  const { call } = response;
  const { url, request } = call;
  return { ...response, call: { ...call, url: cutText(url), request: { ...request, body: cutText(request.body) } } };
};

/**
 * Calls one webhook of a policy as for a decision, even if the webhook is paused. A header marks the call as a dry run.
 *
 * @returns undefined if the policy has no such webhook
 * @throws EngineError `VAULT_LOCKED`
 */
export const tryWebhook = async (
  { webhooks, vault }: { webhooks: Deliverer; vault: Vault },
  policy: Pick<DappPolicy, 'webhooks' | 'rules'>,
  { webhookId, data, userOp, decisionId, paymasterId }: WebhookTrial,
): Promise<WebhookResponse | undefined> => {
  const target = webhookTargets(policy).find((one) => one.webhookId === webhookId);
  if (target === undefined) return undefined;
  const call = { decisionId, dapp: paymasterId, webhookData: data, preview: true };
  return recordResponse(await webhooks.deliver({ ...callOf(vault, target, userOp), ...call }));
};

/**
 * Calls webhooks about an operation in parallel.
 *
 * @throws EngineError `VAULT_LOCKED`
 */
export const callWebhooks = (
  { webhooks, vault }: { webhooks: Deliverer; vault: Vault },
  targets: readonly WebhookTarget[],
  op: UserOperation,
  request: { decisionId: string } & Pick<SponsorshipRequest, 'options' | 'isBlanked' | 'dapp'>,
): Promise<WebhookResponse[]> => {
  const { decisionId, options, isBlanked, dapp } = request;
  const keep = isBlanked ? blankedResponse : recordResponse;
  const call = { decisionId, dapp: dapp.paymasterId, webhookData: options.sponsorshipInfo.webhookData };
  const calls = targets.map((target) => webhooks.deliver({ ...callOf(vault, target, op), ...call }));
  return Promise.all(
    calls.map(async (call, index) => ({
      ...keep(await call),
      ...(targets[index]?.shadow === true && { shadow: true as const }),
    })),
  );
};
