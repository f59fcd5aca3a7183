import { above, max, min } from '../../shared/bigints.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import type { ChainSnapshot } from '../facts/facts.ts';
import { bundleGas } from './bundle-gas.ts';
import type { EntryPointGas, ExecutionLimits, UnusedGasPenalty } from './entry-point-gas.ts';
import { type GasPrices, costPrice, pricesOf } from './gas-prices.ts';

/** What an operation offers its bundler. Gas in gas units, prices in wei per gas. */
export interface Offer {
  /** The penalty for unused gas. */
  readonly unusedGasPenalty: UnusedGasPenalty;
  readonly maxFeePerGasWei: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
  readonly preVerificationGas: bigint;
  /** The unmetered cost of a bundle of the operation alone. Includes data on layer 1, with room for a higher price. */
  readonly bundleGas: bigint;
  /**
   * The least gas that the operation uses. It follows from the work to be done, not from any limit that its sender
   * names.
   */
  readonly usualGas: bigint;
  readonly limits: ExecutionLimits;
  /** Gas that the call of the operation uses; 0 if it was not measured. */
  readonly callGasUsed: bigint;
}

/**
 * Only this much of the gas that an operation uses in simulation raises the allowed gain: an account can detect a
 * simulation, and burn gas there that it does not burn on chain.
 */
const MAX_METERED_GAS = 500_000n;

/** Prices on layer 1 may change until the operation is mined. */
const L1_DATA_ROOM = { times: 3n, per: 2n };

/** What an offer depends on besides the operation. */
export interface OfferOptions {
  /** What a chain of layer 2 charges for the operation's data, in gas. */
  readonly l1DataGas: bigint;
  /** Gas used in simulation; absent if it was not measured. */
  readonly gasUsed?: { readonly validation: bigint; readonly call: bigint };
  /** postOp is called if a token pays. */
  readonly isPaidInToken: boolean;
}

/**
 * The offer of an operation.
 * @param op its paymaster's part and its signature are not read, except the paymaster's limits
 */
export const offerOf = (
  entryPoint: EntryPointGas,
  op: UserOperation,
  { l1DataGas, gasUsed, isPaidInToken }: OfferOptions,
): Offer => {
  const { callGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = op;
  const { unusedGasPenalty, leastMeteredGas } = entryPoint;
  const hasPostOp = unusedGasPenalty.countsUncalledPostOp || isPaidInToken;
  const postOpGasLimit = isV06(op) || !hasPostOp ? 0n : (op.paymasterPostOpGasLimit ?? 0n);
  const callGasUsed = min(gasUsed?.call ?? 0n, callGasLimit);
  const meteredGas = max(leastMeteredGas, gasUsed?.validation ?? 0n) + callGasUsed;
  const onChain = bundleGas(entryPoint, op, meteredGas);
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

/** The ways in which a bundler gains, all wei. */
export interface SurplusParts {
  readonly price: bigint;
  readonly preVerification: bigint;
  readonly penalty: bigint;
}

/** What an operation gives its bundler beyond the bundle's cost, and the most it may. */
export interface Surplus {
  readonly parts: SurplusParts;
  readonly totalWei: bigint;
  readonly mostWei: bigint;
  /** What the EntryPoint charges for gas, wei. */
  readonly pricePerGasWei: bigint;
  /** Gas that is charged but costs the bundler nothing, and the part of it that is the penalty. */
  readonly givenGas: bigint;
  readonly penaltyGas: bigint;
}

/**
 * The bundler may gain 15 % of the usual fee: that is at most 13 % of all that the tank pays, and 14 % with what the
 * other constants here add (`test/decision/bundlers-gain.test.ts`). Measured with the clients of docs/clients:
 * preVerificationGas is 3,300 to 14,700 gas above the cost of a bundle (the most with a signature of 589 bytes), and
 * the penalty for unused gas is 13,400 at most.
 */
const SHARE = { times: 15n, per: 100n };

/** EntryPoint: min(maxFeePerGas, maxPriorityFeePerGas + block.basefee). */
const priceOf = ({ maxFeePerGasWei, maxPriorityFeePerGasWei }: Offer, { baseFeeWei }: GasPrices): bigint =>
  min(maxFeePerGasWei, maxPriorityFeePerGasWei + baseFeeWei);

/**
 * The allowed gain for each gas, wei. If most of the price is its tip, the bundler's own cost is unknown: nodes differ,
 * and clients offer half as much again (Safe) or twice (viem) the suggested tip. So the tip may be doubled there, and
 * rise once more by what the node suggests now.
 */
const mostGainedPerGas = (prices: GasPrices): bigint => {
  const { believedBaseFeeWei, believedTipWei, suggestedTipWei } = prices;
  const risenWei = min(above(suggestedTipWei, believedTipWei), believedTipWei);
  const share = (costPrice(prices) * SHARE.times) / SHARE.per;
  return share + above(believedTipWei, believedBaseFeeWei) + above(risenWei, believedBaseFeeWei);
};

/**
 * What an operation gives its bundler, who may be its sender and could drain the tank. All gains are one sum, so that
 * small ones cannot be combined. The price counts for the usual gas only. An account that burns more makes the bundler
 * pay for it, so the gained part of what the tank pays stays the same.
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

/** What determines how much an operation gives its bundler. */
export interface OfferQuestion {
  readonly op: UserOperation;
  readonly entryPoint: EntryPointGas;
  readonly chain: ChainSnapshot | null;
  readonly isPaidInToken: boolean;
}

/** Whether an operation gives its bundler too much if it uses nothing of its limits: then its use must be known. */
export const dependsOnUse = ({ op, entryPoint, chain, isPaidInToken }: OfferQuestion): boolean => {
  const prices = pricesOf(chain);
  if (chain === null || prices === undefined) return false;
  const offer = offerOf(entryPoint, op, { l1DataGas: BigInt(chain.l1DataGas), isPaidInToken });
  const { totalWei, mostWei } = surplusOf(offer, prices);
  return totalWei > mostWei;
};

/** True if preVerificationGas uses so little of the allowed gain that the price of data on layer 1 does not matter. */
export const fitsWithoutL1Data = (entryPoint: EntryPointGas, op: UserOperation): boolean => {
  const offer = offerOf(entryPoint, op, { l1DataGas: 0n, isPaidInToken: false });
  const mostGas = (offer.usualGas * SHARE.times) / SHARE.per;
  return 2n * above(offer.preVerificationGas, offer.bundleGas) <= mostGas;
};

/** The highest values with which an operation gives no more than allowed; none above its own. */
export interface HighestOffer extends ExecutionLimits {
  /** What the EntryPoint may charge for gas, wei. */
  readonly pricePerGasWei: bigint;
  readonly preVerificationGas: bigint;
}

/** The price up to which an operation may keep its other values; the cost of gas if no price is low enough. */
const highestPrice = (
  { usualGas }: Offer,
  prices: GasPrices,
  { parts, mostWei, givenGas, ...paid }: Surplus,
): bigint => {
  const cost = costPrice(prices);
  if (givenGas * cost <= mostWei) return (mostWei + usualGas * cost) / (givenGas + usualGas);
  // The gas has to be lower: a price that gives little stays as it is.
  return 2n * parts.price <= mostWei ? paid.pricePerGasWei : cost;
};

/** Values that would pass, for an operation that gives its bundler too much. */
export const highestOffer = (offer: Offer, prices: GasPrices, surplus: Surplus): HighestOffer => {
  const { unusedGasPenalty, usualGas, bundleGas, preVerificationGas, limits, callGasUsed } = offer;
  const pricePerGasWei = min(surplus.pricePerGasWei, highestPrice(offer, prices, surplus));
  const left = surplus.mostWei - above(pricePerGasWei, costPrice(prices)) * usualGas;
  const mostGas = pricePerGasWei === 0n ? surplus.givenGas : left / pricePerGasWei;
  const { penaltyGas } = surplus;
  const surplusGas = surplus.givenGas - penaltyGas;
  // The smaller of both stays as it is, or gets half.
  const smaller = min(min(surplusGas, penaltyGas), mostGas / 2n);
  const surplusShare = surplusGas <= penaltyGas ? smaller : mostGas - smaller;
  return {
    pricePerGasWei,
    preVerificationGas: min(preVerificationGas, bundleGas + surplusShare),
    ...unusedGasPenalty.limitsWithin(limits, callGasUsed, mostGas - surplusShare),
  };
};
