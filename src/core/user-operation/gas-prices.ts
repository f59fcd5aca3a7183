import { min } from '../../shared/bigints.ts';
import type { ChainSnapshot } from '../facts/facts.ts';

/** In wei per gas. */
export interface GasPrices {
  /** The base fee that the node reports. The EntryPoint charges it. */
  readonly baseFeeWei: bigint;
  /** The base fee that Gasdesk believes to be the bundler's cost. */
  readonly believedBaseFeeWei: bigint;
  readonly believedTipWei: bigint;
  /** The tip that the node suggests, which an attacker may have raised. */
  readonly suggestedTipWei: bigint;
}

/** The believed cost of gas for bundlers, in wei per gas. */
export const costPrice = ({ believedBaseFeeWei, believedTipWei }: GasPrices): bigint =>
  believedBaseFeeWei + believedTipWei;

const GWEI = 10n ** 9n;

/** Upper limit of a believable tip: no chain's usual tip is higher. */
const MAX_TIP_WEI = 100n * GWEI;

/** The gas prices of a chain snapshot; undefined without a snapshot. */
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
