import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { Vault } from '../signer/vault.ts';
import type { DappPolicy } from '../store/store.ts';
import type { Deliverer, WebhookCall } from '../webhooks/deliver.ts';
import type { WebhookRequest } from '../webhooks/request.ts';
import { fullWebhookUrl } from '../webhooks/url-in-vault.ts';
import type { Progress } from './decision-draft.ts';
import type { Step } from './steps.ts';

/** What webhooks said of an operation, by its id. Each is asked once, whatever changes meanwhile. */
export type WebhookAnswers = ReadonlyMap<string, Step>;

type Target = Pick<WebhookRequest, 'webhookId' | 'url' | 'method' | 'userOp' | 'failOpen'>;

/** Registered webhooks by their method; rules of type WEBHOOK always POST, and get the operation too (SPEC 5.6). */
const allTargets = ({ webhooks, rules }: DappPolicy, op?: object): (Target & { active: boolean })[] => [
  ...webhooks.map(({ webhookId, webhookUrl, requestType, active }) => ({
    ...{ webhookId, active, url: webhookUrl, method: requestType },
  })),
  ...rules.flatMap((rule) => {
    if (rule.policyType !== 'WEBHOOK') return [];
    const { url, failOpen = false } = rule.policyData;
    const { ruleId: webhookId, active } = rule;
    return [{ webhookId, active, url, method: 'POST' as const, failOpen, ...(op && { userOp: op }) }];
  }),
];

const targetsOf = (policy: DappPolicy, op?: UserOperation): Target[] =>
  allTargets(policy, op).filter(({ active }) => active);

/** True if the policy has webhooks that were not asked yet. */
export const needsAnswers = (policy: DappPolicy, answers: WebhookAnswers): boolean =>
  targetsOf(policy).some((target) => !answers.has(target.webhookId));

/** What only the vault knows of a webhook. @throws EngineError `VAULT_LOCKED` */
const kept = (vault: Vault, { webhookId, url }: Target): Pick<WebhookRequest, 'secret' | 'url'> => ({
  secret: vault.webhookSecret(webhookId),
  url: fullWebhookUrl(vault, webhookId, url),
});

/** What a webhook is tried with. */
export interface WebhookTrial {
  readonly webhookId: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** For a webhook of a rule. */
  readonly userOp?: object | undefined;
  /** In the form of a decision's id; none is stored under it. */
  readonly decisionId: string;
}

const stepOf = ({ verdict, ms, ...call }: WebhookCall): Step => ({
  rule: 'webhook',
  ...verdict,
  micros: Math.round(ms * 1000),
  call,
});

/**
 * Calls one webhook of a policy, paused or not, as a decision would; the receiver is told that it is a dry run.
 *
 * @returns undefined if the policy has no such webhook
 * @throws EngineError `VAULT_LOCKED`
 */
export const tryWebhook = async (
  { webhooks, vault }: { webhooks: Deliverer; vault: Vault },
  policy: DappPolicy,
  { webhookId, data, userOp, decisionId }: WebhookTrial,
): Promise<Step | undefined> => {
  const target = allTargets(policy, userOp).find((one) => one.webhookId === webhookId);
  if (target === undefined) return undefined;
  const call = { ...target, ...kept(vault, target), decisionId, webhookData: data, preview: true };
  return stepOf(await webhooks.deliver(call));
};

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
    const call = { ...target, ...kept(vault, target), decisionId, webhookData };
    return [target.webhookId, stepOf(await webhooks.deliver(call))];
  });
  return new Map([...answers, ...(await Promise.all(calls))]);
};
