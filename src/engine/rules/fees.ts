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
  readonly blockGasLimit: bigint | undefined;
}

/** How far above the base fee a price may be, so that urgent operations on busy chains pass: ten times, and 10 gwei. */
const FEE_MULTIPLE = 10n;
const FEE_ALLOWANCE_WEI = 10n ** 10n;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * An operation must offer the base fee. One below it can be mined only by a bundler that pays the rest itself, while
 * version 1.1.0 charges its overhead at the price of the bundle: more than was reserved for it. Nor may it give its
 * bundler far more than that costs him: the sender may be the bundler, and carry the tank away.
 */
export const feesRule: Rule<null, FeeFacts> = {
  type: 'fees',
  check(_config, facts) {
    const { maxFeePerGasWei, preVerificationGas, mostPreVerificationGas, baseFeeWei, blockGasLimit } = facts;
    const offered = { maxFeePerGasWei: String(maxFeePerGasWei) };
    if (preVerificationGas > mostPreVerificationGas) {
      const gas = { preVerificationGas: String(preVerificationGas), most: String(mostPreVerificationGas) };
      return deny('PRE_VERIFICATION_GAS_TOO_HIGH', gas);
    }
    if (baseFeeWei === undefined) return skip('BASE_FEE_UNKNOWN', offered);
    const evidence = { ...offered, baseFeeWei: String(baseFeeWei) };
    if (maxFeePerGasWei < baseFeeWei) return deny('FEE_TOO_LOW', evidence);
    // EntryPoint: min(maxFeePerGas, maxPriorityFeePerGas + block.basefee)
    const pricePerGas = least(maxFeePerGasWei, facts.maxPriorityFeePerGasWei + baseFeeWei);
    const most = FEE_MULTIPLE * baseFeeWei + FEE_ALLOWANCE_WEI;
    if (pricePerGas > most) {
      return deny('FEE_TOO_HIGH', { ...evidence, pricePerGasWei: String(pricePerGas), mostWei: String(most) });
    }
    if (blockGasLimit !== undefined && facts.executionGas > blockGasLimit) {
      return deny('GAS_ABOVE_BLOCK', { gas: String(facts.executionGas), blockGasLimit: String(blockGasLimit) });
    }
    return pass('FEE_COVERS_BASE', evidence);
  },
};
