import { UNREACHABLE_PART_MS, renewableBefore, unreachableAccount } from '../../core/rules/unreachable.ts';
import type { Store } from '../store/store.ts';
import type { ChainSettings } from '../store/registry-store.ts';

/**
 * Records at `now` (epoch ms) that a chain's node has answered. Renews the budget if an hour has passed since the last
 * unchecked signature. So an attacker who repeatedly makes the node unreachable can use at most one budget per hour.
 */
export const renewUnreachableBudget = async (
  store: Pick<Store, 'forgetRolling'>,
  { chainId, unreachableBudgetWei }: Pick<ChainSettings, 'chainId' | 'unreachableBudgetWei'>,
  now: number,
): Promise<void> => {
  if (unreachableBudgetWei === null) return;
  await store.forgetRolling(unreachableAccount(chainId), renewableBefore(now));
};

/** The budget of a chain while its node is unreachable. Amounts are in wei, decimal. */
export interface UnreachableBudget {
  readonly budgetWei: string;
  /** Sum of the maximum costs of operations that were signed unchecked. */
  readonly signedWei: string;
  /** Time of the first of these signatures, to the minute, epoch ms; null if nothing was signed. */
  readonly since: number | null;
}

/** Null if nothing may be signed while the chain's node is unreachable. */
export const unreachableBudget = async (
  store: Pick<Store, 'rollingHoldings'>,
  { chainId, unreachableBudgetWei: budgetWei }: Pick<ChainSettings, 'chainId' | 'unreachableBudgetWei'>,
): Promise<UnreachableBudget | null> => {
  if (budgetWei === null) return null;
  const used = await store.rollingHoldings(unreachableAccount(chainId));
  if (used === undefined) return { budgetWei, signedWei: '0', since: null };
  return { budgetWei, signedWei: String(used.held), since: used.first * UNREACHABLE_PART_MS };
};
