import { min } from '../../shared/bigints.ts';
import type { ChainSnapshot } from '../facts/facts.ts';

/** In wei per gas. */
export interface GasPrices {
  /** As the node says; the EntryPoint charges by it. */
  readonly baseFeeWei: bigint;
  /** The believed cost for a bundler. */
  readonly believedBaseFeeWei: bigint;
  readonly believedTipWei: bigint;
  /** The node's suggestion, which an attacker may have raised. */
  readonly suggestedTipWei: bigint;
}

/** The believed cost of gas for bundlers, wei. */
export const costPrice = ({ believedBaseFeeWei, believedTipWei }: GasPrices): bigint =>
  believedBaseFeeWei + believedTipWei;

const GWEI = 10n ** 9n;

/** No chain's usual tip is higher: a node that suggests more is not believed. */
const MAX_TIP_WEI = 100n * GWEI;

/** The prices of gas; undefined if the chain was not read. */
export const pricesOf = (chain: ChainSnapshot | null): GasPrices | undefined => {
  if (chain === null) return undefined;
  const {
    baseFeeWei,
    believedBaseFeeWei = baseFeeWei,
    suggestedTipWei = '0',
    believedTipWei = suggestedTipWei,
  } = chain;
  return {
    baseFeeWei: BigInt(baseFeeWei),
    believedBaseFeeWei: BigInt(believedBaseFeeWei),
    believedTipWei: min(BigInt(believedTipWei), MAX_TIP_WEI),
    suggestedTipWei: min(BigInt(suggestedTipWei), MAX_TIP_WEI),
  };
};
