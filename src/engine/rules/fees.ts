import { type Rule, deny, pass, skip } from './rule.ts';

/** What an operation asks for gas, and what the chain does. Gas in gas units, prices in wei per gas. */
export interface FeeFacts {
  readonly maxFeePerGasWei: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
  /** All limits that are gas of the operation's execution. */
  readonly executionGas: bigint;
  readonly preVerificationGas: bigint;
  /** The most preVerificationGas that its calldata can be worth. */
  readonly mostPreVerificationGas: bigint;
  /** Undefined where the chain could not be read. */
  readonly baseFeeWei: bigint | undefined;
  /** The tip the node suggests; undefined where it was not asked, or suggests none. */
  readonly suggestedTipWei: bigint | undefined;
  readonly blockGasLimit: bigint | undefined;
}

const GWEI = 10n ** 9n;

/** How far above the base fee a price may be, so that urgent operations on busy chains pass: ten times, and a tip. */
const FEE_MULTIPLE = 10n;
/** Wei per gas that an operation may tip on every chain. */
export const TIP_ALLOWANCE_WEI = 10n * GWEI;
/** Chains like Polygon want more, whatever their base fee is: three times what their node suggests may be tipped. */
const TIP_MULTIPLE = 3n;
/** No chain's usual tip is above it: a node that says more is not believed. */
const MOST_SUGGESTED_TIP_WEI = 100n * GWEI;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const mostTip = (suggestedWei = 0n): bigint => {
  const most = TIP_MULTIPLE * least(suggestedWei, MOST_SUGGESTED_TIP_WEI);
  return most > TIP_ALLOWANCE_WEI ? most : TIP_ALLOWANCE_WEI;
};

/**
 * An operation must offer the base fee. One below it can be mined only by a bundler that pays the rest itself, while
 * version 1.1.0 charges its overhead at the price of the bundle: more than was reserved for it. Nor may it give its
 * bundler far more than that costs him: the sender may be the bundler, and carry the tank away.
 */
export const feesRule: Rule<null, FeeFacts> = {
  type: 'fees',
  check(_config, facts) {
    const { maxFeePerGasWei, preVerificationGas, mostPreVerificationGas, baseFeeWei, suggestedTipWei } = facts;
    const offered = { maxFeePerGasWei: String(maxFeePerGasWei) };
    if (preVerificationGas > mostPreVerificationGas) {
      const gas = { preVerificationGas: String(preVerificationGas), most: String(mostPreVerificationGas) };
      return deny('PRE_VERIFICATION_GAS_TOO_HIGH', gas);
    }
    if (baseFeeWei === undefined) return skip('BASE_FEE_UNKNOWN', offered);
    const suggested = suggestedTipWei === undefined ? {} : { suggestedTipWei: String(suggestedTipWei) };
    const evidence = { ...offered, baseFeeWei: String(baseFeeWei), ...suggested };
    if (maxFeePerGasWei < baseFeeWei) return deny('FEE_TOO_LOW', evidence);
    // EntryPoint: min(maxFeePerGas, maxPriorityFeePerGas + block.basefee)
    const pricePerGas = least(maxFeePerGasWei, facts.maxPriorityFeePerGasWei + baseFeeWei);
    const most = FEE_MULTIPLE * baseFeeWei + mostTip(suggestedTipWei);
    if (pricePerGas > most) {
      return deny('FEE_TOO_HIGH', { ...evidence, pricePerGasWei: String(pricePerGas), mostWei: String(most) });
    }
    const { blockGasLimit } = facts;
    if (blockGasLimit !== undefined && facts.executionGas > blockGasLimit) {
      return deny('GAS_ABOVE_BLOCK', { gas: String(facts.executionGas), blockGasLimit: String(blockGasLimit) });
    }
    return pass('FEE_COVERS_BASE', evidence);
  },
};
