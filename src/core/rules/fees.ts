import { min } from '../../shared/bigints.ts';
import type { Evidence } from '../../shared/denials.ts';
import { addressKey } from '../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { defaultMaxOperationCostWei } from '../../shared/chains.ts';
import { entryPoints } from '../entry-points/registry.ts';
import {
  type HighestOffer,
  type Offer,
  type Surplus,
  type SurplusParts,
  highestOffer,
  offerOf,
  surplusOf,
} from '../user-operation/bundler-surplus.ts';
import { bundleGas } from '../user-operation/bundle-gas.ts';
import type { GasSchedule } from '../gas-schedules/gas-schedule.ts';
import { gasSchedules } from '../gas-schedules/schedules.ts';
import { executionGas } from '../user-operation/execution-gas.ts';
import { uncheckedL1DataGas } from '../user-operation/unchecked-l1-data.ts';
import { type GasPrices, costPrice, pricesOf } from '../user-operation/gas-prices.ts';
import type { AccountKey } from '../ledger/account.ts';
import { feeDenials } from '../user-operation/fee-denials.ts';
import { type CheckResult, type RuleInput, type RuleKind, deny, pass, skip } from './rule.ts';

type Result = CheckResult<keyof typeof feeDenials>;

/** The gas and fees of an operation and of its chain. Gas is in gas units, prices are in wei per gas. */
export interface FeeFacts {
  readonly offer: Offer;
  /**
   * The sender's outstanding operations of other nonces that carry an authorisation. If there are any, they pay for the
   * authorisation: a bundler that sends them together with this one pays for it once.
   */
  readonly otherAuthorizations: bigint;
  /** The sum of the operation's gas limits for execution. */
  readonly executionGas: bigint;
  /** The gas of a transaction with this operation alone, which makes use of all of its limits; 0 if nothing limits it. */
  readonly transactionGas: bigint;
  readonly schedule: GasSchedule;
  /** Undefined if the chain could not be read. */
  readonly prices: GasPrices | undefined;
  /** The tip that the node suggests; undefined if it suggests none. */
  readonly suggestedTipWei: bigint | undefined;
  /** True if the node could not report how much gas the operation's call uses. */
  readonly isUseUnknown: boolean;
  readonly blockGasLimit: bigint | undefined;
  /** The maximum amount that the operation can take from the tank, in wei. */
  readonly maxCostWei: bigint;
  /** The operator's maximum cost of one operation, in wei; undefined: {@link defaultCostWei} applies. */
  readonly operatorCostWei: bigint | undefined;
  /** The chain's fixed default maximum for one operation, in wei. No answer of a node raises it. */
  readonly uncheckedCostWei: bigint;
  /** What a layer 2 charges for the operation's data, in gas. */
  readonly l1DataGas: bigint;
  readonly chainId: number;
  /** Symbol of the chain's native coin. */
  readonly symbol: string;
}

/**
 * An operation may offer up to this multiple of the chain's gas price, so that urgent operations on busy chains are
 * sponsored.
 */
const FEE_MULTIPLE = 10n;

/**
 * The default maximum for one operation, in wei: the cost of the largest honest ones, but at most the chain's fixed
 * amount.
 */
const defaultCostWei = ({ prices, l1DataGas, uncheckedCostWei, schedule }: FeeFacts): bigint =>
  prices === undefined
    ? uncheckedCostWei
    : min(uncheckedCostWei, (schedule.largestOperation + l1DataGas) * costPrice(prices));

/** The denial code for the largest of the three gains. */
const codeOf = ({ price, preVerification, penalty }: SurplusParts): keyof typeof feeDenials => {
  if (price >= preVerification && price >= penalty) return 'FEE_TOO_HIGH';
  return preVerification >= penalty ? 'PRE_VERIFICATION_GAS_TOO_HIGH' : 'CALL_GAS_TOO_HIGH';
};

/** The values that must be lowered, under the names used in the evidence. */
const tooHigh = (offer: Offer, prices: GasPrices, highest: HighestOffer, mostOfferedWei: bigint): Evidence => {
  const { baseFeeWei, believedBaseFeeWei } = prices;
  if (highest.pricePerGasWei < baseFeeWei) return { believedBaseFeeWei: String(believedBaseFeeWei) };
  const { maxFeePerGasWei, maxPriorityFeePerGasWei, preVerificationGas, limits } = offer;
  const isPriceTooHigh = min(maxFeePerGasWei, maxPriorityFeePerGasWei + baseFeeWei) > highest.pricePerGasWei;
  const isOfferTooHigh = maxFeePerGasWei > mostOfferedWei;
  const mostFeeWei = isPriceTooHigh ? min(highest.pricePerGasWei, mostOfferedWei) : mostOfferedWei;
  return {
    ...(preVerificationGas > highest.preVerificationGas && {
      mostPreVerificationGas: String(highest.preVerificationGas),
    }),
    ...(limits.callGasLimit > highest.callGasLimit && { mostCallGasLimit: String(highest.callGasLimit) }),
    ...(limits.postOpGasLimit > highest.postOpGasLimit && { mostPostOpGasLimit: String(highest.postOpGasLimit) }),
    ...((isPriceTooHigh || isOfferTooHigh) && { mostMaxFeePerGasWei: String(mostFeeWei) }),
    // If the offer is too high as well, lowering the tip alone is not sufficient.
    ...(isPriceTooHigh && !isOfferTooHigh && { mostTipWei: String(highest.pricePerGasWei - baseFeeWei) }),
  };
};

/** Why an operation's prices or gas are denied; undefined if they are acceptable. */
const priceDenial = (facts: FeeFacts, prices: GasPrices, evidence: Evidence): Result | undefined => {
  const { offer, blockGasLimit, isUseUnknown, symbol } = facts;
  const { maxFeePerGasWei, preVerificationGas, bundleGas, limits, callGasUsed } = offer;
  if (maxFeePerGasWei < prices.baseFeeWei) return deny('FEE_TOO_LOW', evidence);
  const mostOfferedWei = FEE_MULTIPLE * costPrice(prices);
  const surplus = surplusOf(offer, prices);
  if (surplus.totalWei > surplus.mostWei) {
    return deny(codeOf(surplus.parts), {
      ...evidence,
      pricePerGasWei: String(surplus.pricePerGasWei),
      preVerificationGas: String(preVerificationGas),
      bundleGas: String(bundleGas),
      callGasLimit: String(limits.callGasLimit),
      callGasUsed: isUseUnknown ? null : String(callGasUsed),
      ...surplusEvidence(surplus),
      ...authorizationEvidence(facts),
      ...tooHigh(offer, prices, highestOffer(offer, prices, surplus), mostOfferedWei),
      symbol,
    });
  }
  if (maxFeePerGasWei > mostOfferedWei) {
    return deny('FEE_TOO_HIGH', { ...evidence, mostMaxFeePerGasWei: String(mostOfferedWei) });
  }
  const gas = facts.executionGas + preVerificationGas;
  return blockGasLimit !== undefined && gas > blockGasLimit
    ? deny('GAS_ABOVE_BLOCK', { gas: String(gas), blockGasLimit: String(blockGasLimit) })
    : undefined;
};

const authorizationEvidence = ({ otherAuthorizations }: FeeFacts): Evidence =>
  otherAuthorizations === 0n ? {} : { otherAuthorizations: Number(otherAuthorizations) };

const surplusEvidence = ({ parts, totalWei, mostWei }: Surplus): Evidence => ({
  priceSurplusWei: String(parts.price),
  preVerificationSurplusWei: String(parts.preVerification),
  penaltyWei: String(parts.penalty),
  surplusWei: String(totalWei),
  mostSurplusWei: String(mostWei),
});

/** No bundler can send an operation whose transaction would be invalid. */
const transactionDenial = ({ transactionGas, schedule: { mostTransactionGas } }: FeeFacts): Result | undefined =>
  mostTransactionGas !== undefined && transactionGas > mostTransactionGas
    ? deny('GAS_ABOVE_TRANSACTION', { gas: String(transactionGas), mostTransactionGas: String(mostTransactionGas) })
    : undefined;

/**
 * If the price is unknown, only preVerificationGas is checked. It may be twice the cost of a bundle, because bundlers'
 * formulas differ. The operation's maximum cost bounds any other gain of the bundler.
 */
const unpricedDenial = (facts: FeeFacts): Result | undefined => {
  const { preVerificationGas, bundleGas } = facts.offer;
  const mostGas = 2n * bundleGas;
  if (preVerificationGas <= mostGas) return undefined;
  const evidence = { preVerificationGas: String(preVerificationGas), bundleGas: String(bundleGas) };
  const more = { mostPreVerificationGas: String(mostGas), ...authorizationEvidence(facts) };
  return deny('PRE_VERIFICATION_GAS_TOO_HIGH', { ...evidence, ...more });
};

/**
 * Checks the fees and gas of an operation.
 *
 * - It must offer at least the base fee. Otherwise only a bundler that pays the difference can mine it, and paymaster
 * version 1.1.0 would charge its overhead at the bundle's price, which is more than was reserved.
 * - It must not pay its bundler far more than the bundle costs, because the sender may be the bundler and drain the
 *   tank. The sum of all gains is bounded by the chain's values, not by the request's own.
 * - maxFeePerGas is bounded too: although a bundler gains nothing from a high one alone, the tank reserves it.
 * - A transaction must be able to hold it.
 * - The maximum cost must not exceed what the operator allows for one operation.
 */
export const checkFees = (facts: FeeFacts): Result => {
  const { offer, prices, suggestedTipWei, maxCostWei, chainId, symbol } = facts;
  const evidence = {
    maxFeePerGasWei: String(offer.maxFeePerGasWei),
    ...(prices !== undefined && { baseFeeWei: String(prices.baseFeeWei) }),
    ...(suggestedTipWei !== undefined && { suggestedTipWei: String(suggestedTipWei) }),
    ...(prices !== undefined &&
      prices.believedTipWei < (suggestedTipWei ?? 0n) && { believedTipWei: String(prices.believedTipWei) }),
  };
  const denial =
    transactionDenial(facts) ?? (prices === undefined ? unpricedDenial(facts) : priceDenial(facts, prices, evidence));
  if (denial !== undefined) return denial;
  const mostCostWei = facts.operatorCostWei ?? defaultCostWei(facts);
  const bounded = { ...evidence, mostCostWei: String(mostCostWei) };
  if (maxCostWei > mostCostWei) {
    return deny('OPERATION_COST_TOO_HIGH', { ...bounded, requiredWei: String(maxCostWei), chainId, symbol });
  }
  return prices === undefined ? skip('BASE_FEE_UNKNOWN', bounded) : pass('FEE_COVERS_BASE', bounded);
};

const optional = (value: string | null | undefined): bigint | undefined =>
  value === undefined || value === null ? undefined : BigInt(value);

const hasAuthorization = (op: UserOperation): boolean => !isV06(op) && op.eip7702Auth !== undefined;

const withoutAuthorization = (op: UserOperation): UserOperation => {
  if (isV06(op)) return op;
  const { eip7702Auth: _, ...rest } = op;
  return rest;
};

/**
 * The accounts that count a sender's outstanding operations with an EIP-7702 authorisation: all of them, and those with
 * the nonce of this operation. At most one of the latter can be mined.
 */
const authorizationAccounts = ({ op, policy, layout }: RuleInput): [AccountKey, AccountKey] => {
  const { chainId } = policy.dapp;
  const user = addressKey(op.sender);
  return [
    { kind: 'authorizations', id: String(chainId), user },
    { kind: 'authorizationsOfNonce', id: [chainId, layout.entryPointVersion, op.nonce].join(':'), user },
  ];
};

const feeFactsOf = (
  { facts, policy, op, layout, payment, requiredWei, symbol }: RuleInput,
  [authorizations = 0n, authorizationsOfNonce = 0n]: readonly bigint[],
): FeeFacts => {
  const { chain, gasUsed, stage, authority } = facts;
  const schedule = gasSchedules[facts.gasSchedule];
  const entryPoint = entryPoints[layout.entryPointVersion];
  const gas = executionGas(op);
  const { chainId } = policy.dapp;
  const l1DataGas = chain === null ? uncheckedL1DataGas(chainId) : BigInt(chain.l1DataGas);
  const prices = pricesOf(chain);
  // A quote may omit the fees, so 0 is not too low.
  const areFeesOpen = stage === 'draft' && op.maxFeePerGas === 0n;
  const otherAuthorizations = authorizations - authorizationsOfNonce;
  return {
    otherAuthorizations,
    offer: offerOf(entryPoint, otherAuthorizations === 0n ? op : withoutAuthorization(op), {
      schedule,
      authority,
      l1DataGas,
      isPaidInToken: payment !== undefined,
      ...(gasUsed && { gasUsed: { validation: BigInt(gasUsed.validation), call: BigInt(gasUsed.call) } }),
    }),
    executionGas: gas,
    transactionGas: schedule.mostTransactionGas ? gas + bundleGas({ entryPoint, schedule, authority }, op, gas) : 0n,
    schedule,
    prices: prices && areFeesOpen ? { ...prices, baseFeeWei: 0n } : prices,
    suggestedTipWei: optional(chain?.suggestedTipWei),
    isUseUnknown: gasUsed === null,
    blockGasLimit: optional(chain?.blockGasLimit),
    maxCostWei: requiredWei,
    operatorCostWei: optional(policy.chain?.maxOperationCostWei),
    uncheckedCostWei: defaultMaxOperationCostWei(chainId),
    l1DataGas,
    chainId,
    symbol,
  };
};

/**
 * The prices and gas that an operation may offer. This also applies to users who pay in a token, because the paymaster
 * still pays the bundler.
 */
export const fees: RuleKind<keyof typeof feeDenials> = {
  type: 'fees',
  title: 'Fees',
  denials: feeDenials,
  // A draft may contain any gas values and fees, because they are still to be estimated.
  bindsDrafts: false,
  reserve: (input) =>
    hasAuthorization(input.op)
      ? authorizationAccounts(input).map((account) => ({ account, kind: 'tank', amount: 1n }))
      : [],
  check: (input, held) => [checkFees(feeFactsOf(input, held))],
};
