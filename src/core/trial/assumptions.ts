import type { Verdict } from '../decision/decide.ts';
import type { CoinPrice, Facts } from '../facts/facts.ts';
import type { WebhookTarget } from '../rules/webhook.ts';
import type { WebhookResponse } from '../webhooks/webhook-response.ts';
import type { UnknownCause } from './unknown-cause.ts';

/** What an operator may assume where a record lacks an input. */
export type Assumption = Extract<UnknownCause, 'price' | 'webhook'>;

/** The assumptions of a trial. They replace only what is missing: what was read or called at the time stays. */
export interface Assumptions {
  /** The coin's price, for decisions at which none was read. */
  readonly price?: CoinPrice | undefined;
  /** True: a webhook that was not called agrees. */
  readonly webhook?: boolean | undefined;
}

/** Decisions that could be evaluated only under an assumption. */
export interface AssumedCounts {
  readonly decisions: number;
  readonly same: number;
  readonly nowSponsored: number;
  readonly nowDenied: number;
  /** By what was assumed. A decision may need both assumptions. */
  readonly by: Readonly<Partial<Record<Assumption, number>>>;
  readonly costWei: { readonly before: string; readonly after: string };
}

const agreed = ({ webhookId, url, method, failOpen }: WebhookTarget): WebhookResponse => ({
  call: {
    webhookId,
    url,
    method,
    request: { headers: {}, body: '' },
    status: 200,
    response: '{"arePoliciesVerified":true}',
  },
  host: '',
  failOpen,
  headers: {},
  micros: 0,
});

/** The facts with what is missing for a verdict. Undefined if no assumption says what it is. */
export const factsAssuming = (
  facts: Facts,
  { cause, verdict }: { readonly cause: UnknownCause | undefined; readonly verdict: Verdict },
  { price, webhook }: Assumptions,
): { readonly facts: Facts; readonly assumption: Assumption } | undefined => {
  if (cause === 'price' && price !== undefined && facts.price === undefined) {
    return { facts: { ...facts, price }, assumption: 'price' };
  }
  if (cause === 'webhook' && webhook === true && verdict.next === 'callWebhooks') {
    const webhooks = [...facts.webhooks, ...verdict.targets.map(agreed)];
    return { facts: { ...facts, webhooks }, assumption: 'webhook' };
  }
  return undefined;
};
