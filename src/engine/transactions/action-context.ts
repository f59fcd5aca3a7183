import { chainSymbol } from '../../shared/chains.ts';
import { EngineError } from '../../shared/errors.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';

/** What actions are read from. */
export interface ActionContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly chains: ChainAccess;
}

/** Amounts on a chain in words: its coins, exactly. */
export const amountsOn = async (store: Pick<Store, 'findChain'>, chainId: number): Promise<(wei: bigint) => string> => {
  const symbol = chainSymbol(chainId, await store.findChain(chainId));
  return (wei) => `${weiToDecimal(wei)} ${symbol}`;
};

/** It is known before it is tried that the transaction would fail. */
export const failing = (message: string, data: Record<string, unknown> = {}): EngineError =>
  new EngineError('TRANSACTION_WOULD_FAIL', message, data);
