import { type MeasuredStep, type Reason, type Verdict, denialIn } from '../decision/decide.ts';
import type { PastDecision } from '../decision/past-decision.ts';
import type { Facts } from '../facts/facts.ts';
import type { Reservation } from '../ledger/account.ts';
import { type SettlementState, heldAfter, heldOnceSettled } from '../ledger/after-settlement.ts';
import type { Policy } from '../policy/policy.ts';
import { wasRead } from '../rules/rule.ts';
import { type UnknownCause, causeOf } from './unknown-cause.ts';

/** What a draft decides, as far as it follows from what was read at the time. */
export interface Judgement {
  readonly outcome: 'sponsored' | 'denied' | 'unknown';
  /** Set if the outcome is unknown. */
  readonly cause?: UnknownCause;
  readonly reason: Pick<Reason, 'code' | 'rule'> | undefined;
}

export interface DraftVerdict {
  readonly facts: Facts;
  readonly draft: Policy;
  readonly verdict: Verdict;
}

export const unknownFor = (cause: UnknownCause): Judgement => ({ outcome: 'unknown', cause, reason: undefined });

/** Whether an operation counts as sponsored under the draft. If that is unknown, the result at the time counts. */
export const isTaken = ({ outcome }: Pick<PastDecision, 'outcome'>, judgement: Pick<Judgement, 'outcome'>): boolean =>
  (judgement.outcome === 'unknown' ? outcome : judgement.outcome) === 'sponsored';

/** How an operation ended, and what it may cost and did cost. */
export type Settled = Pick<PastDecision, 'settlement' | 'actualCostWei' | 'maxCostWei'>;

const actualCostOf = ({ actualCostWei }: Settled): bigint => BigInt(actualCostWei ?? 0);

/** The settlement of an operation. An operation that was not sponsored counts as mined at its maximum cost. */
const settlementOf = ({ settlement }: Settled): SettlementState => settlement ?? 'unconfirmed';

/** Cost of a decision in wei, if it is sponsored. */
export const costOf = (record: Settled): bigint =>
  heldAfter(settlementOf(record), { follows: 'spend', reserved: BigInt(record.maxCostWei ?? 0) }, actualCostOf(record));

/** What a reservation keeps in its account after the operation of the record was settled. */
export const keptBy = (record: Settled, reservation: Reservation): bigint =>
  heldOnceSettled(reservation, settlementOf(record), actualCostOf(record));

/**
 * Denies a request that asks for a longer validity than the draft allows. Gasdesk would refuse such a request before
 * deciding.
 */
export const tooLong = ({ expiryDuration }: Facts, { dapp: { maxExpirySeconds } }: Policy): Reason | undefined =>
  expiryDuration <= maxExpirySeconds
    ? undefined
    : {
        code: 'VALIDATION',
        rule: 'maxExpiry',
        message: `It asks for a signature that is valid for ${expiryDuration} seconds, and the longest expiry is ${maxExpirySeconds}.`,
        hint: 'Ask for less, or raise the longest expiry.',
      };

/** Whether a signature requires a fact that was not read at the time. */
const isOpen = (facts: Facts, steps: readonly MeasuredStep[]): boolean =>
  facts.stage === 'draft' ||
  facts.gasSource === 'GAS_NOT_ESTIMATED' ||
  steps.some(({ code }) => code === 'TOKEN_NOT_CHECKED');

export const judge = (decision: PastDecision, { facts, draft, verdict }: DraftVerdict): Judgement => {
  const refusal = tooLong(facts, draft);
  if (refusal !== undefined) return { outcome: 'denied', reason: refusal };
  if (verdict.next === 'callWebhooks') return unknownFor('webhook');
  const { steps } = verdict;
  const reason = denialIn(steps.filter(wasRead));
  if (reason !== undefined) return { outcome: 'denied', reason };
  if (verdict.reason !== undefined) return unknownFor(causeOf(verdict.reason));
  if (decision.outcome === 'denied' && isOpen(facts, steps)) return unknownFor('gas');
  return { outcome: 'sponsored', reason };
};
