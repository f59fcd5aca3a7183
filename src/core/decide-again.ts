import type { DecisionRecord } from '../shared/schema/decision.ts';
import { type Reason, decide, plan, reasonOf } from './decide.ts';
import { accountText } from './ledger/account.ts';
import type { Policy } from './policy.ts';
import { readableFacts } from './record.ts';
import { wasRead } from './rules/rule.ts';

/** What a policy makes of an operation that was decided under another. */
export interface DecidedAgain {
  /**
   * `webhooks`: no rule denies it, and webhooks that were not asked then would have the last word. `gasUnknown`: no rule
   * denies it, but its gas was not estimated then. `notRead`: no rule denies it by what was read then, and one asks for
   * something else, such as what its sender held of a token. `notReplayable`: the record does not hold what it was decided by.
   */
  readonly verdict: 'sponsored' | 'denied' | 'webhooks' | 'gasUnknown' | 'notRead' | 'notReplayable';
  /** Why it is denied. */
  readonly reason: Reason | undefined;
}

/**
 * Decides a recorded operation by its own facts and the ledger of then, under the policy given. An account that the record
 * does not name, such as that of a limit that was set since, holds nothing: its window begins with the policy.
 */
export const decideAgain = (record: DecisionRecord, policy: Policy): DecidedAgain => {
  const facts = readableFacts(record);
  if (facts === undefined) return { verdict: 'notReplayable', reason: undefined };
  const heldThen = new Map((record.reservations ?? []).map(({ account, held }) => [account, BigInt(held)]));
  const held = plan(facts, policy).map(({ account }) => heldThen.get(accountText(account)) ?? 0n);
  const decided = decide(facts, policy, held);
  if (decided.next === 'callWebhooks') return { verdict: 'webhooks', reason: undefined };
  const reason = reasonOf(decided.steps.filter(wasRead));
  if (reason !== undefined) return { verdict: 'denied', reason };
  if (decided.reason !== undefined) return { verdict: 'notRead', reason: undefined };
  return { verdict: facts.gasSource === 'GAS_NOT_ESTIMATED' ? 'gasUnknown' : 'sponsored', reason: undefined };
};
