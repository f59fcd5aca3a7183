import { type Plan, type Verdict, decidePlanned, planOperation } from './decide.ts';
import type { Policy } from '../policy/policy.ts';
import type { WebhookResponse } from '../webhooks/webhook-response.ts';

/** A verdict that does not wait for webhooks. */
export type FinalVerdict = Extract<Verdict, { next: 'done' }>;

type WebhookTarget = Extract<Verdict, { next: 'callWebhooks' }>['targets'][number];

const verified = ({ webhookId, url, method, failOpen }: WebhookTarget): WebhookResponse => ({
  call: {
    webhookId,
    url,
    method,
    status: 200,
    response: '{"arePoliciesVerified": true}',
    request: { headers: {}, body: '' },
  },
  host: '',
  failOpen,
  headers: {},
  micros: 0,
});

/**
 * Decides an operation like {@link decidePlanned}, assuming that every webhook approves it. @param policy the policy that
 * the operation was planned under
 */
export const decideVerified = (planned: Plan, policy: Policy, held: readonly bigint[]): FinalVerdict => {
  const verdict = decidePlanned(planned, held);
  if (verdict.next === 'done') return verdict;
  const { facts } = planned.input;
  const webhooks = [...facts.webhooks, ...verdict.targets.map(verified)];
  return decideVerified(planOperation({ ...facts, webhooks }, policy), policy, held);
};
