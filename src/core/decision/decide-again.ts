import type { DecisionRecord, WalkedStep } from '../../shared/schema/decision.ts';
import { type Reason, decidePlanned, planOperation, reasonOf } from './decide.ts';
import { accountText } from '../ledger/account.ts';
import type { Policy } from '../policy/policy.ts';
import { readableFacts } from './record.ts';
import { wasRead } from '../rules/rule.ts';

/** The verdict of a policy on an operation that was decided under another policy. */
export interface DecidedAgain {
  /**
   * `webhooks`: no rule denies it, but the verdict depends on webhooks that were not called. `gasUnknown`: no rule
   * denies it, but its gas was not estimated. `notRead`: no rule denies it by the facts that were read at the time, but
   * one rule needs a fact that was not read, such as the sender's balance of a token. `notReplayable`: the record does
   * not contain its facts.
   */
  readonly verdict: 'sponsored' | 'denied' | 'webhooks' | 'gasUnknown' | 'notRead' | 'notReplayable';
  readonly reason: Reason | undefined;
  /**
   * What each rule says now, in the order in which rules are checked: the rules before the webhooks if those were not
   * called, and none if the record does not contain its facts.
   */
  readonly steps: readonly WalkedStep[];
}

/**
 * Decides a recorded operation under the given policy, with the recorded facts and the ledger at the time. A ledger
 * account that the record does not name, such as the account of a newer limit, is empty: its window begins with the
 * policy.
 */
export const decideAgain = (record: DecisionRecord, policy: Policy): DecidedAgain => {
  const facts = readableFacts(record);
  if (facts === undefined) return { verdict: 'notReplayable', reason: undefined, steps: [] };
  const heldThen = new Map((record.reservations ?? []).map(({ account, held }) => [account, BigInt(held)]));
  const planned = planOperation(facts, policy);
  const held = planned.reservations.map(({ account }) => heldThen.get(accountText(account)) ?? 0n);
  const decided = decidePlanned(planned, held);
  const steps = decided.steps.map(({ rule, outcome, shadow }) => ({
    rule,
    outcome,
    ...(shadow !== undefined && { shadow }),
  }));
  if (decided.next === 'callWebhooks') return { verdict: 'webhooks', reason: undefined, steps };
  const reason = reasonOf(decided.steps.filter(wasRead));
  if (reason !== undefined) return { verdict: 'denied', reason, steps };
  if (decided.reason !== undefined) return { verdict: 'notRead', reason: undefined, steps };
  return { verdict: facts.gasSource === 'GAS_NOT_ESTIMATED' ? 'gasUnknown' : 'sponsored', reason: undefined, steps };
};
