import { type DenialRows, type Evidence, areUsed, units } from '../../shared/denials.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import type { Facts } from '../facts/facts.ts';
import { type AccountKey, partAt } from '../ledger/account.ts';
import type { Policy } from '../policy/policy.ts';
import { type CheckResult, type RuleKind, deny, pass } from './rule.ts';

/** The budget, in coins, that would cover the signed amounts and this operation. */
const needed = ({ used, amount }: Evidence): string => weiToDecimal(BigInt(String(used)) + BigInt(String(amount)));

const denials = {
  UNREACHABLE_BUDGET_SPENT: (evidence) => ({
    message:
      `The node of the chain is unreachable. Until it answers, the operator lets Gasdesk sign for ${units(evidence, 'threshold')}; ` +
      `${areUsed(evidence)}, and this operation takes ${units(evidence, 'amount')}.`,
    hint: `Send it again when the node answers. To allow this one now, the operator runs "gasdesk chain set ${String(evidence.chainId)} --unreachable sign --unreachable-budget ${needed(evidence)}".`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** The amount signed while a chain's node is unreachable, and its limit. */
export interface UnreachableFacts {
  readonly chainId: number;
  /** In wei. */
  readonly threshold: bigint;
  /** Maximum costs that already count against the budget, in wei. */
  readonly used: bigint;
  /** The maximum cost of this operation, in wei. */
  readonly amount: bigint;
}

/**
 * The budget of a chain whose node is unreachable: the signed maximum costs plus this operation's must not exceed what
 * the operator allows.
 */
export const checkUnreachable = ({ chainId, threshold, used, amount }: UnreachableFacts): Result => {
  const wei = { threshold: String(threshold), used: String(used), amount: String(amount) };
  const evidence = { chainId, unit: 'wei', ...wei };
  return used + amount > threshold
    ? deny('UNREACHABLE_BUDGET_SPENT', evidence)
    : pass('WITHIN_UNREACHABLE_BUDGET', evidence);
};

/** Signed amounts are recorded per minute. In ms. */
export const UNREACHABLE_PART_MS = 60_000;

/** The account for amounts signed while a chain's node is unreachable: a rolling window with one bucket per minute. */
export const unreachableAccount = (chainId: number): AccountKey => ({ kind: 'unreachable', id: String(chainId) });

/**
 * The budget is renewed only after an hour in which nothing was signed unchecked, so that no hour has more than one
 * budget.
 */
const RENEWAL_MS = 60 * 60_000;

/**
 * The budget may be renewed at a given time if its newest bucket is older than the returned bucket. @param at epoch ms
 */
export const renewableBefore = (at: number): number => partAt(at - RENEWAL_MS, UNREACHABLE_PART_MS);

const isUnreachable = ({ hasNode, chain }: Facts): boolean => hasNode && chain === null;

const thresholdOf = ({ chain }: Policy): bigint => BigInt(chain?.unreachableBudgetWei ?? 0);

/**
 * The maximum amount that may be signed while the chain's node is unreachable. Every signed amount counts, whether
 * settled or not.
 */
export const unreachable: RuleKind<keyof typeof denials> = {
  type: 'unreachable',
  title: 'Unreachable node',
  denials,
  reserve({ facts, policy, requiredWei: amount }) {
    if (!isUnreachable(facts)) return [];
    const account = { ...unreachableAccount(policy.dapp.chainId), window: partAt(facts.at, UNREACHABLE_PART_MS) };
    return [{ account, kind: 'spend', amount, since: 0 }];
  },
  mostHeld: ({ facts, policy, requiredWei }) => (isUnreachable(facts) ? [thresholdOf(policy) - requiredWei] : []),
  check({ facts, policy, requiredWei: amount }, [used = 0n]) {
    if (!isUnreachable(facts)) return [];
    return [checkUnreachable({ chainId: policy.dapp.chainId, threshold: thresholdOf(policy), used, amount })];
  },
};
