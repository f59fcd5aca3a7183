import type { AccountKey } from '../../core/ledger/account.ts';
import { tankAccount } from '../../core/rules/gas-tank.ts';
import type { Tank } from '../paymaster/readiness.ts';
import type { DecisionStore } from '../store/decision-store.ts';

/** The ledger's account of the tank that pays for a DApp: of one `id` for all DApps that share it. */
export const accountOfTank = ({ chainId, contract, fundingWallet }: Omit<Tank, 'layout' | 'entryPoint'>): AccountKey =>
  tankAccount(chainId, { address: contract, ...(fundingWallet !== undefined && { fundingWallet }) });

/** What is reserved of an account. */
export const reservedOf = async (store: Pick<DecisionStore, 'heldOf'>, account: AccountKey): Promise<bigint> => {
  const [held = 0n] = await store.heldOf([{ account }]);
  return held;
};
