import { type Rule, deny, pass } from './rule.ts';

/** What is signed for on a chain, and the most that may be within a time. */
export interface BurnRateFacts {
  /** Wei. */
  readonly threshold: bigint;
  readonly seconds: number;
  /** Maximum costs signed within that time, wei. */
  readonly used: bigint;
  /** The most this operation can take, wei. */
  readonly amount: bigint;
}

/** The burn-rate breaker: signed maximum costs + the operation's ≤ the chain's amount per time. */
export const burnRateRule: Rule<null, BurnRateFacts> = {
  type: 'burnRate',
  check(_config, { threshold, seconds, used, amount }) {
    const wei = { threshold: String(threshold), used: String(used), amount: String(amount) };
    const evidence = { unit: 'wei', seconds, ...wei };
    if (amount > threshold) return deny('BURN_RATE_TOO_SMALL', evidence);
    return used + amount > threshold ? deny('BURN_RATE_EXCEEDED', evidence) : pass('WITHIN_BURN_RATE', evidence);
  },
};
