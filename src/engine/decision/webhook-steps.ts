import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { Vault } from '../signer/vault.ts';
import type { DappPolicy } from '../store/store.ts';
import type { Deliverer, WebhookCall } from '../webhooks/deliver.ts';
import type { WebhookRequest } from '../webhooks/request.ts';
import type { Progress } from './decision-draft.ts';
import type { Step } from './steps.ts';

/** What webhooks said of an operation, by its id. Each is asked once, whatever changes meanwhile. */
export type WebhookAnswers = ReadonlyMap<string, Step>;

type Target = Pick<WebhookRequest, 'webhookId' | 'url' | 'method' | 'userOp' | 'failOpen'>;

/** Registered webhooks by their method; rules of type WEBHOOK always POST, and get the operation too (SPEC 5.6). */
const targetsOf = ({ webhooks, rules }: DappPolicy, op?: UserOperation): Target[] => [
  ...webhooks
    .filter((webhook) => webhook.active)
    .map(({ webhookId, webhookUrl, requestType }) => ({ webhookId, url: webhookUrl, method: requestType })),
  ...rules.flatMap((rule) => {
    if (!rule.active || rule.policyType !== 'WEBHOOK') return [];
    const { url, failOpen = false } = rule.policyData;
    return [{ webhookId: rule.ruleId, url, method: 'POST' as const, failOpen, ...(op && { userOp: op }) }];
  }),
];

/** True if the policy has webhooks that were not asked yet. */
export const needsAnswers = (policy: DappPolicy, answers: WebhookAnswers): boolean =>
  targetsOf(policy).some((target) => !answers.has(target.webhookId));

const stepOf = ({ verdict, ms, ...call }: WebhookCall): Step => ({
  rule: 'webhook',
  ...verdict,
  micros: Math.round(ms * 1000),
  call,
});

/**
 * Asks those webhooks of a policy that were not asked yet, all at the same time.
 *
 * @returns all answers, also those of webhooks that are gone by now: what was asked counts
 * @throws EngineError `VAULT_LOCKED`
 */
export const askWebhooks = async (
  { webhooks, vault }: { webhooks: Deliverer; vault: Vault },
  policy: DappPolicy,
  op: UserOperation,
  { decisionId, request }: Progress,
  answers: WebhookAnswers,
): Promise<WebhookAnswers> => {
  const webhookData = request.options.sponsorshipInfo?.webhookData;
  const unasked = targetsOf(policy, op).filter((target) => !answers.has(target.webhookId));
  const calls = unasked.map(async (target): Promise<[string, Step]> => {
    const call = { ...target, secret: vault.webhookSecret(target.webhookId), decisionId, webhookData };
    return [target.webhookId, stepOf(await webhooks.deliver(call))];
  });
  return new Map([...answers, ...(await Promise.all(calls))]);
};
