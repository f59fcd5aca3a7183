import type { Tank } from '../paymaster/readiness.ts';
import type { Store } from '../store/store.ts';
import { readWithdrawals } from './chain-reads.ts';
import { tankKey } from './ledger-steps.ts';

/** What of a tank nobody has a claim on, wei. */
export const freeOf = (
  balanceWei: bigint,
  { promisedWei, leavingWei }: { promisedWei: bigint; leavingWei: bigint },
): bigint => {
  const takenWei = promisedWei + leavingWei;
  return balanceWei > takenWei ? balanceWei - takenWei : 0n;
};

/** The same, with what there is a claim on; all wei. */
export const readFree = async (
  store: Pick<Store, 'openOperatorTransactions' | 'heldOf'>,
  tank: Tank,
  balanceWei: bigint,
): Promise<{ promisedWei: bigint; leavingWei: bigint; freeWei: bigint }> => {
  const [leavingWei, [promisedWei = 0n]] = await Promise.all([
    readWithdrawals(store, tank),
    store.heldOf([{ key: tankKey(tank), kind: 'tank', amount: 0n }]),
  ]);
  return { promisedWei, leavingWei, freeWei: freeOf(balanceWei, { promisedWei, leavingWei }) };
};
