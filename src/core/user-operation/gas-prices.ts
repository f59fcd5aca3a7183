import { min } from '../../shared/bigints.ts';
import type { ChainSnapshot } from '../facts.ts';

/** What gas costs, in wei per gas. */
export interface GasPrices {
  /** As the node says; the EntryPoint pays by it. */
  readonly baseFeeWei: bigint;
  /** What is believed that a bundler has to pay. */
  readonly believedBaseFeeWei: bigint;
  readonly believedTipWei: bigint;
  /** What the node suggests, which a stranger may have raised. */
  readonly suggestedTipWei: bigint;
}

/** What bundlers have to pay for gas, as far as that is believed, wei. */
export const costPrice = ({ believedBaseFeeWei, believedTipWei }: GasPrices): bigint =>
  believedBaseFeeWei + believedTipWei;

const GWEI = 10n ** 9n;

/** No chain's usual tip is above it: a node that says more is not believed. */
const MOST_TIP_WEI = 100n * GWEI;

/** What gas costs; undefined where the chain was not read. */
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
    believedTipWei: min(BigInt(believedTipWei), MOST_TIP_WEI),
    suggestedTipWei: min(BigInt(suggestedTipWei), MOST_TIP_WEI),
  };
};
