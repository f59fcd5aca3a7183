import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { Vault } from '../signer/vault.ts';
import type { DappPolicy } from '../store/store.ts';
import type { Deliverer, WebhookCall } from '../webhooks/deliver.ts';
import type { WebhookRequest } from '../webhooks/request.ts';
import type { Progress } from './decision-draft.ts';
import type { Step } from './steps.ts';

/** What the webhooks of a policy said of an operation. */
export interface WebhookAnswers {
  /** Revision of the policy whose webhooks were asked. */
  readonly revision: number;
  readonly steps: readonly Step[];
}

type Target = Pick<WebhookRequest, 'webhookId' | 'url' | 'method' | 'userOp'>;

/** Registered webhooks by their method; rules of type WEBHOOK always POST, and get the operation too (SPEC 5.6). */
const targetsOf = ({ webhooks, rules }: DappPolicy, op?: UserOperation): Target[] => [
  ...webhooks
    .filter((webhook) => webhook.active)
    .map(({ webhookId, webhookUrl, requestType }) => ({ webhookId, url: webhookUrl, method: requestType })),
  ...rules.flatMap((rule) =>
    rule.active && rule.policyType === 'WEBHOOK'
      ? [{ webhookId: rule.ruleId, url: rule.policyData.url, method: 'POST' as const, ...(op && { userOp: op }) }]
      : [],
  ),
];

/** True if the policy has webhooks to ask and these answers are not theirs. */
export const needsAnswers = (policy: DappPolicy, answers: WebhookAnswers | undefined): boolean =>
  answers?.revision !== policy.revision && targetsOf(policy).length > 0;

const stepOf = ({ verdict, ms, ...call }: WebhookCall): Step => ({
  rule: 'webhook',
  ...verdict,
  micros: Math.round(ms * 1000),
  call,
});

/**
 * Asks all webhooks of a policy at the same time.
 *
 * @throws EngineError `VAULT_LOCKED`
 */
export const askWebhooks = async (
  { webhooks, vault }: { webhooks: Deliverer; vault: Vault },
  policy: DappPolicy,
  op: UserOperation,
  { decisionId, request }: Progress,
): Promise<WebhookAnswers> => {
  const webhookData = request.options.sponsorshipInfo?.webhookData;
  const calls = targetsOf(policy, op).map((target) =>
    webhooks.deliver({ ...target, secret: vault.webhookSecret(target.webhookId), decisionId, webhookData }),
  );
  return { revision: policy.revision, steps: (await Promise.all(calls)).map(stepOf) };
};
