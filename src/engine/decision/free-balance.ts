import type { Tank } from '../paymaster/readiness.ts';
import type { Store } from '../store/store.ts';
import { readWithdrawals } from './chain-reads.ts';
import { tankKey } from './ledger-steps.ts';

/** What of a tank's balance nobody has a claim on; all wei. */
export const readFree = async (
  store: Pick<Store, 'openOperatorTransactions' | 'heldOf'>,
  tank: Tank,
  balanceWei: bigint,
): Promise<{ promisedWei: bigint; leavingWei: bigint; freeWei: bigint }> => {
  const [leavingWei, [promisedWei = 0n]] = await Promise.all([
    readWithdrawals(store, tank),
    store.heldOf([{ key: tankKey(tank), kind: 'tank', amount: 0n }]),
  ]);
  const takenWei = promisedWei + leavingWei;
  return { promisedWei, leavingWei, freeWei: balanceWei > takenWei ? balanceWei - takenWei : 0n };
};
