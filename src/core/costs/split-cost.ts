import { above, max, min } from '../../shared/bigints.ts';
import type { CostPart } from '../../shared/schema/cost.ts';
import type { ExecutionLimits, UnusedGasPenalty } from '../user-operation/entry-point-gas.ts';

/** What the chain's receipt says of the transaction that included an operation. */
export interface Bundle {
  /** Gas that the transaction used. */
  readonly gasUsed: bigint;
  /** Gas for which the EntryPoint charged all of its operations together. */
  readonly chargedGas: bigint;
  /** Base fee of the block, in wei per gas; 0 on chains without one. */
  readonly baseFeeWei: bigint;
  /** What a layer 2 charged for the transaction's layer 1 data, in wei. */
  readonly l1FeeWei: bigint;
}

/** What the EntryPoint's event says of an operation. */
export interface ChargedOperation {
  /** False: the account's call reverted. */
  readonly success: boolean;
  /** Gas for which the EntryPoint charged, and the amount in wei. */
  readonly gasUsed: bigint;
  readonly gasCostWei: bigint;
}

/** What the signed operation and its simulation say, in gas. */
export interface SignedGas {
  readonly preVerificationGas: bigint;
  readonly limits: ExecutionLimits;
  /** What validation used in simulation or, if it was not simulated, what it uses at least. */
  readonly validationGas: bigint;
  readonly unusedGasPenalty: UnusedGasPenalty;
}

/**
 * The parts of what a mined operation cost, in wei. Their sum is that cost. Only `contractWei` can be negative.
 *
 * - `workWei`: the gas that the chain used for the operation, at the base fee
 * - `tipWei`: the tip for that gas
 * - `revertedWei`: both of them, if the operation's call reverted
 * - `penaltyWei`: the EntryPoint's penalty for gas limits that were not used
 * - `preVerificationWei`: preVerificationGas above the operation's share of what the bundle cost
 * - `contractWei`: what the paymaster contract deducted from the tank beyond the EntryPoint's charge
 */
export type CostParts = Readonly<Record<CostPart, bigint>>;

/** Each step divides the error by ten, so this many steps are exact to one gas. */
const STEPS = 12;

/**
 * The penalty in gas. The event's gas contains it, together with what validation and the call used, so it is the fixed
 * point of `penalty(gasUsed - preVerificationGas - validation - penalty)`.
 */
const penaltyGas = (
  { preVerificationGas, limits, validationGas, unusedGasPenalty }: SignedGas,
  gasUsed: bigint,
): bigint => {
  const most = limits.callGasLimit + limits.postOpGasLimit;
  const rest = above(gasUsed, preVerificationGas + validationGas);
  let penalty = 0n;
  for (let step = 0; step < STEPS; step += 1) penalty = unusedGasPenalty.of(limits, min(above(rest, penalty), most));
  return min(penalty, rest);
};

/**
 * Splits what a mined operation cost. Exact are the sum, the contract's part, and the chain's use of gas as far as the
 * bundle has no other operation; operations of one bundle share its gas in proportion to what each was charged for. The
 * penalty follows from the gas of the validation, which no receipt contains.
 *
 * @param costWei what the operation counts: what its tank or, without a tank, its deposit paid
 */
export const splitCost = (
  costWei: bigint,
  { success, gasUsed, gasCostWei }: ChargedOperation,
  signed: SignedGas,
  bundle: Bundle,
): CostParts => {
  const contractWei = costWei - gasCostWei;
  const none = { workWei: 0n, tipWei: 0n, revertedWei: 0n, penaltyWei: 0n, preVerificationWei: 0n, contractWei };
  if (gasUsed === 0n || gasCostWei === 0n) return { ...none, workWei: gasCostWei };
  const priced = (gas: bigint): bigint => (gas * gasCostWei) / gasUsed;
  const charged = max(bundle.chargedGas, gasUsed);
  const share = (amount: bigint): bigint => (amount * gasUsed + charged - 1n) / charged;
  const chainGas = share(bundle.gasUsed) + (share(bundle.l1FeeWei) * gasUsed + gasCostWei - 1n) / gasCostWei;
  const penalty = penaltyGas(signed, gasUsed);
  const preVerification = above(gasUsed, chainGas + penalty);
  const [penaltyWei, preVerificationWei] = [priced(penalty), priced(preVerification)];
  const paidWei = gasCostWei - penaltyWei - preVerificationWei;
  if (!success) return { ...none, revertedWei: paidWei, penaltyWei, preVerificationWei };
  const baseWei = bundle.baseFeeWei === 0n ? paidWei : bundle.baseFeeWei * (gasUsed - penalty - preVerification);
  const workWei = min(baseWei, paidWei);
  return { ...none, workWei, tipWei: paidWei - workWei, penaltyWei, preVerificationWei };
};
