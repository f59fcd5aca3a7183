import { type Rule, deny, pass, skip } from './rule.ts';

/** What an operation offers and what the chain asks for, wei per gas. */
export interface FeeFacts {
  readonly maxFeePerGasWei: bigint;
  /** Undefined where the chain could not be read. */
  readonly baseFeeWei: bigint | undefined;
}

/**
 * An operation must offer the base fee. One below it can be mined only by a bundler that pays the rest itself, while
 * version 1.1.0 charges its overhead at the price of the bundle: more than was reserved for it.
 */
export const feesRule: Rule<null, FeeFacts> = {
  type: 'fees',
  check(_config, { maxFeePerGasWei, baseFeeWei }) {
    const offered = { maxFeePerGasWei: maxFeePerGasWei.toString() };
    if (baseFeeWei === undefined) return skip('BASE_FEE_UNKNOWN', offered);
    const evidence = { ...offered, baseFeeWei: baseFeeWei.toString() };
    return maxFeePerGasWei < baseFeeWei ? deny('FEE_TOO_LOW', evidence) : pass('FEE_COVERS_BASE', evidence);
  },
};
