import type { Store } from '../store/store.ts';
import type { AccountKey } from '../../core/ledger/account.ts';
import { tankAccount } from '../../core/rules/gas-tank.ts';
import type { Tank } from '../paymaster/readiness.ts';

/** The ledger account of the tank that pays for a DApp. DApps that share a tank share its `id`. */
export const accountOfTank = ({ chainId, contract, fundingWallet }: Omit<Tank, 'layout' | 'entryPoint'>): AccountKey =>
  tankAccount(chainId, { address: contract, ...(fundingWallet !== undefined && { fundingWallet }) });

export const reservedOf = async (store: Pick<Store, 'heldOf'>, account: AccountKey): Promise<bigint> => {
  const [held = 0n] = await store.heldOf([{ account }]);
  return held;
};
