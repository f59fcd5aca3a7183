import type { Tank } from '../paymaster/readiness.ts';
import type { Store } from '../store/store.ts';
import { readWithdrawals } from './chain-reads.ts';
import { accountOfTank, reservedOf } from './tank-account.ts';

/** The part of a tank that is neither reserved nor needed for pending withdrawals, in wei. */
export const freeOf = (
  balanceWei: bigint,
  { reservedWei, pendingWithdrawalsWei }: { reservedWei: bigint; pendingWithdrawalsWei: bigint },
): bigint => {
  const takenWei = reservedWei + pendingWithdrawalsWei;
  return balanceWei > takenWei ? balanceWei - takenWei : 0n;
};

/** The free part, together with reservations and pending withdrawals. All amounts are in wei. */
export const readFree = async (
  store: Pick<Store, 'openOperatorTransactions' | 'heldOf'>,
  tank: Tank,
  balanceWei: bigint,
): Promise<{ reservedWei: bigint; pendingWithdrawalsWei: bigint; freeWei: bigint }> => {
  const [pendingWithdrawalsWei, reservedWei] = await Promise.all([
    readWithdrawals(store, tank),
    reservedOf(store, accountOfTank(tank)),
  ]);
  return { reservedWei, pendingWithdrawalsWei, freeWei: freeOf(balanceWei, { reservedWei, pendingWithdrawalsWei }) };
};
