import { knownChains } from '../../shared/chains.ts';
import type { ChainSettings } from '../store/store.ts';

/** What the coin of a chain is called. */
export const chainSymbol = (chainId: number, settings: Pick<ChainSettings, 'symbol'> | undefined): string =>
  settings?.symbol ?? knownChains.get(chainId)?.symbol ?? 'ETH';
