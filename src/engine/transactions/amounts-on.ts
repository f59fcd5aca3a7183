import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { chainSymbol } from '../chain/chain-symbol.ts';
import type { Store } from '../store/store.ts';

/** Amounts on a chain in words: its coins, exactly. */
export const amountsOn = async (store: Pick<Store, 'findChain'>, chainId: number): Promise<(wei: bigint) => string> => {
  const symbol = chainSymbol(chainId, await store.findChain(chainId));
  return (wei) => `${weiToDecimal(wei)} ${symbol}`;
};
