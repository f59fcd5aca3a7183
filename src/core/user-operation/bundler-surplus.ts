import { above, max, min } from '../../shared/bigints.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import type { ChainSnapshot } from '../facts/facts.ts';
import type { Authority } from '../../shared/schema/gas-schedule.ts';
import type { GasSchedule } from '../gas-schedules/gas-schedule.ts';
import { workGas } from '../gas-schedules/work.ts';
import { bundleGas } from './bundle-gas.ts';
import type { EntryPointGas, ExecutionLimits, UnusedGasPenalty } from './entry-point-gas.ts';
import { type GasPrices, costPrice, pricesOf } from './gas-prices.ts';

/** What an operation offers its bundler. Gas is in gas units, prices are in wei per gas. */
export interface Offer {
  /** The penalty for unused gas. */
  readonly unusedGasPenalty: UnusedGasPenalty;
  readonly maxFeePerGasWei: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
  readonly preVerificationGas: bigint;
  /**
   * The unmetered cost of a bundle with only this operation. Includes layer 1 data, and an allowance for a rise of its
   * price.
   */
  readonly bundleGas: bigint;
  /** The minimum gas that the operation uses, derived from its work and not from limits that its sender sets. */
  readonly usualGas: bigint;
  readonly limits: ExecutionLimits;
  /** Gas used by the operation's call; 0 if it was not measured. */
  readonly callGasUsed: bigint;
}

/**
 * The gas used in simulation raises the allowed gain only up to this amount: an account can detect a simulation and
 * burn gas there that it does not burn on chain.
 */
const MAX_METERED_GAS = 500_000n;

/** Headroom for layer 1 prices, which may change until the operation is mined. */
const L1_DATA_ROOM = { times: 3n, per: 2n };

/** Inputs of an offer other than the operation. */
export interface OfferOptions {
  readonly schedule: GasSchedule;
  /** The state of the sender's account before its EIP-7702 authorisation takes effect; if unknown, it does not exist yet. */
  readonly authority?: Authority | undefined;
  /** What a layer 2 charges for the operation's data, in gas. */
  readonly l1DataGas: bigint;
  /** Gas used in simulation; absent if it was not measured. */
  readonly gasUsed?: { readonly validation: bigint; readonly call: bigint };
  /** True if the user pays in a token. Only then is postOp called. */
  readonly isPaidInToken: boolean;
  /** True to assume that the operation uses so much gas that the floor of its calldata costs nothing. */
  readonly isFloorPaid?: boolean;
}

/** More than a transaction can use. */
const ANY_GAS = 1n << 40n;

/**
 * The offer of an operation.
 * @param op the operation, whose paymaster fields and signature are ignored, except the paymaster's gas limits
 */
export const offerOf = (
  entryPoint: EntryPointGas,
  op: UserOperation,
  { schedule, authority, l1DataGas, gasUsed, isPaidInToken, isFloorPaid = false }: OfferOptions,
): Offer => {
  const { callGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = op;
  const { unusedGasPenalty, leastMetered } = entryPoint;
  const hasPostOp = unusedGasPenalty.countsUncalledPostOp || isPaidInToken;
  const postOpGasLimit = isV06(op) || !hasPostOp ? 0n : (op.paymasterPostOpGasLimit ?? 0n);
  const callGasUsed = min(gasUsed?.call ?? 0n, callGasLimit);
  const meteredGas = max(workGas(schedule, leastMetered), gasUsed?.validation ?? 0n) + callGasUsed;
  const onChain = bundleGas({ entryPoint, schedule, authority }, op, isFloorPaid ? ANY_GAS : meteredGas);
  return {
    unusedGasPenalty,
    maxFeePerGasWei: maxFeePerGas,
    maxPriorityFeePerGasWei: maxPriorityFeePerGas,
    preVerificationGas,
    bundleGas: onChain + (l1DataGas * L1_DATA_ROOM.times) / L1_DATA_ROOM.per,
    usualGas: onChain + l1DataGas + min(meteredGas, MAX_METERED_GAS),
    limits: { callGasLimit, postOpGasLimit },
    callGasUsed,
  };
};

/** The three ways in which a bundler gains, in wei. */
export interface SurplusParts {
  readonly price: bigint;
  readonly preVerification: bigint;
  readonly penalty: bigint;
}

/** The amount that an operation pays its bundler beyond the bundle's cost, and its allowed maximum. */
export interface Surplus {
  readonly parts: SurplusParts;
  readonly totalWei: bigint;
  readonly mostWei: bigint;
  /** What the EntryPoint charges per gas, in wei. */
  readonly pricePerGasWei: bigint;
  /** Gas that is charged but costs the bundler nothing, and the part of it that is the penalty. */
  readonly givenGas: bigint;
  readonly penaltyGas: bigint;
}

/**
 * The bundler may gain 15 % of the usual fee. That is at most 13 % of everything the tank pays, or 14 % with the other
 * allowances in this file (`test/decision/bundlers-gain.test.ts`). Measured with the clients in docs/clients:
 * preVerificationGas exceeds the cost of a bundle by 3,300 to 14,700 gas (the most with a signature of 589 bytes), and
 * the penalty for unused gas is at most 13,400 gas.
 */
const SHARE = { times: 15n, per: 100n };

/** The price as the EntryPoint computes it: min(maxFeePerGas, maxPriorityFeePerGas + block.basefee). */
const priceOf = ({ maxFeePerGasWei, maxPriorityFeePerGasWei }: Offer, { baseFeeWei }: GasPrices): bigint =>
  min(maxFeePerGasWei, maxPriorityFeePerGasWei + baseFeeWei);

/**
 * The allowed gain per gas, in wei. On chains where the tip is most of the price, the bundler's own cost is unknown:
 * nodes differ, and clients offer 1.5 times (Safe) or twice (viem) the suggested tip. On such chains the offer may be
 * twice the believed tip, plus the amount by which the node's current suggestion exceeds the believed tip.
 */
const mostGainedPerGas = (prices: GasPrices): bigint => {
  const { believedBaseFeeWei, believedTipWei, suggestedTipWei } = prices;
  const risenWei = min(above(suggestedTipWei, believedTipWei), believedTipWei);
  const share = (costPrice(prices) * SHARE.times) / SHARE.per;
  return share + above(believedTipWei, believedBaseFeeWei) + above(risenWei, believedBaseFeeWei);
};

/**
 * The amount that an operation pays its bundler beyond the bundle's cost. The bundler may be the operation's sender and
 * could drain the tank this way. All gains are added up, so that several small ones cannot exceed the bound together.
 * The price counts for the usual gas only: an account that burns more gas makes the bundler pay for that gas, so the
 * gained share of the tank's cost stays the same.
 */
export const surplusOf = (offer: Offer, prices: GasPrices): Surplus => {
  const { unusedGasPenalty, preVerificationGas, bundleGas, usualGas, limits, callGasUsed } = offer;
  const pricePerGasWei = priceOf(offer, prices);
  const surplusGas = above(preVerificationGas, bundleGas);
  const penaltyGas = unusedGasPenalty.of(limits, callGasUsed);
  const parts = {
    price: above(pricePerGasWei, costPrice(prices)) * usualGas,
    preVerification: surplusGas * pricePerGasWei,
    penalty: penaltyGas * pricePerGasWei,
  };
  const mostWei = usualGas * mostGainedPerGas(prices);
  const totalWei = parts.price + parts.preVerification + parts.penalty;
  return { parts, totalWei, mostWei, pricePerGasWei, penaltyGas, givenGas: surplusGas + penaltyGas };
};

/** Inputs for computing what an operation pays its bundler. */
export interface OfferQuestion extends Pick<OfferOptions, 'schedule' | 'authority' | 'isPaidInToken'> {
  readonly op: UserOperation;
  readonly entryPoint: EntryPointGas;
  readonly chain: ChainSnapshot | null;
}

/**
 * Whether an operation would pay its bundler too much if it used none of its gas limits, or so much gas that the floor
 * of its calldata costs nothing. Then its gas use must be measured.
 */
export const dependsOnUse = ({ op, entryPoint, chain, ...options }: OfferQuestion): boolean => {
  const prices = pricesOf(chain);
  if (chain === null || prices === undefined) return false;
  const offer = offerOf(entryPoint, op, { ...options, l1DataGas: BigInt(chain.l1DataGas), isFloorPaid: true });
  const { totalWei, mostWei } = surplusOf(offer, prices);
  return totalWei > mostWei;
};

/** True if preVerificationGas takes up so little of the allowed gain that the price of layer 1 data does not matter. */
export const fitsWithoutL1Data = (
  entryPoint: EntryPointGas,
  op: UserOperation,
  priced: Pick<OfferOptions, 'schedule' | 'authority'>,
): boolean => {
  const offer = offerOf(entryPoint, op, { ...priced, l1DataGas: 0n, isPaidInToken: false });
  const mostGas = (offer.usualGas * SHARE.times) / SHARE.per;
  return 2n * above(offer.preVerificationGas, offer.bundleGas) <= mostGas;
};

/**
 * The highest values with which an operation pays its bundler no more than allowed. No value exceeds that of the
 * operation itself.
 */
export interface HighestOffer extends ExecutionLimits {
  /** What the EntryPoint may charge per gas, in wei. */
  readonly pricePerGasWei: bigint;
  readonly preVerificationGas: bigint;
}

/**
 * The highest price at which an operation may keep its gas values. If no price is low enough, the believed cost of gas.
 */
const highestPrice = (
  { usualGas }: Offer,
  prices: GasPrices,
  { parts, mostWei, givenGas, ...paid }: Surplus,
): bigint => {
  const cost = costPrice(prices);
  if (givenGas * cost <= mostWei) return (mostWei + usualGas * cost) / (givenGas + usualGas);
  // The gas values must be lowered. If the price makes up at most half of the allowed gain, it is not lowered.
  return 2n * parts.price <= mostWei ? paid.pricePerGasWei : cost;
};

/** Suggests values that would be accepted, for an operation that pays its bundler too much. */
export const highestOffer = (offer: Offer, prices: GasPrices, surplus: Surplus): HighestOffer => {
  const { unusedGasPenalty, usualGas, bundleGas, preVerificationGas, limits, callGasUsed } = offer;
  const pricePerGasWei = min(surplus.pricePerGasWei, highestPrice(offer, prices, surplus));
  const left = surplus.mostWei - above(pricePerGasWei, costPrice(prices)) * usualGas;
  const mostGas = pricePerGasWei === 0n ? surplus.givenGas : left / pricePerGasWei;
  const { penaltyGas } = surplus;
  const surplusGas = surplus.givenGas - penaltyGas;
  // The smaller of the two is capped at half of `mostGas`; the other gets the rest.
  const smaller = min(min(surplusGas, penaltyGas), mostGas / 2n);
  const surplusShare = surplusGas <= penaltyGas ? smaller : mostGas - smaller;
  return {
    pricePerGasWei,
    preVerificationGas: min(preVerificationGas, bundleGas + surplusShare),
    ...unusedGasPenalty.limitsWithin(limits, callGasUsed, mostGas - surplusShare),
  };
};
