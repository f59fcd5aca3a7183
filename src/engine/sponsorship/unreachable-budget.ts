import { UNREACHABLE_PART_MS, renewableBefore, unreachableAccount } from '../../core/rules/unreachable.ts';
import type { DecisionQueries } from '../store/decision-queries.ts';
import type { DecisionStore } from '../store/decision-store.ts';
import type { ChainSettings } from '../store/registry-store.ts';

/**
 * Tells the budget of a chain that its node has answered, at `now` (epoch ms). That renews it once an hour has passed
 * since the last operation was signed unchecked: an attacker who makes the node come and go gets no more than one
 * budget in any hour.
 */
export const renewUnreachableBudget = async (
  store: Pick<DecisionStore, 'forgetRolling'>,
  { chainId, unreachableBudgetWei }: Pick<ChainSettings, 'chainId' | 'unreachableBudgetWei'>,
  now: number,
): Promise<void> => {
  if (unreachableBudgetWei === null) return;
  await store.forgetRolling(unreachableAccount(chainId), renewableBefore(now));
};

/** A chain's budget for while its node is unreachable. Amounts in wei, decimal. */
export interface UnreachableBudget {
  readonly budgetWei: string;
  /** The sum of the maximum costs that are signed unchecked and count. */
  readonly signedWei: string;
  /** Since when they count: to the minute, epoch ms; null where nothing was signed. */
  readonly since: number | null;
}

/** How much of a chain's budget is used; null where nothing is signed while its node is unreachable. */
export const unreachableBudget = async (
  store: Pick<DecisionQueries, 'rollingHoldings'>,
  { chainId, unreachableBudgetWei: budgetWei }: Pick<ChainSettings, 'chainId' | 'unreachableBudgetWei'>,
): Promise<UnreachableBudget | null> => {
  if (budgetWei === null) return null;
  const used = await store.rollingHoldings(unreachableAccount(chainId));
  if (used === undefined) return { budgetWei, signedWei: '0', since: null };
  return { budgetWei, signedWei: String(used.held), since: used.first * UNREACHABLE_PART_MS };
};
