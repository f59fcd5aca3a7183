import { ZeroAddress } from 'ethers';
import { chainSymbol } from '../../shared/chains.ts';
import { EngineError } from '../../shared/errors.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { Tank } from '../paymaster/readiness.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';

export interface ActionContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly chains: ChainAccess;
}

/** Formats wei as an exact amount in the coin of one chain. */
export type AmountWords = (wei: bigint) => string;

export const amountsOn = async (store: Pick<Store, 'findChain'>, chainId: number): Promise<AmountWords> => {
  const symbol = chainSymbol(chainId, await store.findChain(chainId));
  return (wei) => `${weiToDecimal(wei)} ${symbol}`;
};

/** The error for a transaction that would fail, if that is known without a simulation. */
export const failing = (message: string, data: Record<string, unknown> = {}): EngineError =>
  new EngineError('TRANSACTION_WOULD_FAIL', message, data);

/** Refuses addresses from which the coins could never be withdrawn again. */
export const mustBeOwned = ({ contract, entryPoint }: Pick<Tank, 'contract' | 'entryPoint'>, to: Address): void => {
  const lost = [ZeroAddress as Address, contract, entryPoint].some((one) => sameAddress(one, to));
  if (lost) throw failing(`Coins sent to ${to} are lost. Use the address of one of your wallets.`);
};
