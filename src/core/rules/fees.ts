import { min } from '../../shared/bigints.ts';
import { type DenialRows, type Evidence, coins } from '../../shared/denials.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
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
import { type CheckResult, type RuleInput, type RuleKind, deny, pass, skip } from './rule.ts';

/**
 * Names the highest fee at which the operation costs no more than allowed, if the chain accepts that fee. The cost is
 * proportional to the fee.
 */
const lowerFee = ({ maxFeePerGasWei, baseFeeWei = 0, requiredWei, mostCostWei }: Evidence): string => {
  const mostWei = (BigInt(String(maxFeePerGasWei)) * BigInt(String(mostCostWei))) / BigInt(String(requiredWei));
  return mostWei < BigInt(String(baseFeeWei)) ? '' : ` or a maxFeePerGas of at most ${mostWei} wei`;
};

/** States the chain's gas price, as far as it is known. */
const chainFees = ({ baseFeeWei, suggestedTipWei, believedTipWei }: Evidence): string =>
  `the chain asks for ${String(baseFeeWei)}` +
  (suggestedTipWei === undefined ? '' : ` and a tip of ${String(suggestedTipWei)}`) +
  (believedTipWei === undefined ? '' : ` (usual so far: ${String(believedTipWei)})`);

/** States how much a bundler would gain, and through which value. */
const gain = (evidence: Evidence): string => {
  const { priceSurplusWei, preVerificationSurplusWei, penaltyWei } = evidence;
  const parts = [
    [priceSurplusWei, 'by the price'],
    [preVerificationSurplusWei, 'by preVerificationGas'],
    [penaltyWei, 'by the penalty for unused gas'],
  ].filter(([wei]) => wei !== '0');
  return (
    `So its bundler would gain up to ${coins(evidence.surplusWei, evidence)} beyond its cost, of which at most ` +
    `${coins(evidence.mostSurplusWei, evidence)} are sponsored: ` +
    `${parts.map(([wei, by]) => `${coins(wei, evidence)} ${String(by)}`).join(', ')}.`
  );
};

/** Suggests acceptable values in place of those that are too high. */
const wouldPass = (evidence: Evidence): string => {
  if (evidence.believedBaseFeeWei !== undefined) {
    return `Send it again later: the node reports a base fee above ${String(evidence.believedBaseFeeWei)} wei, the most that Gasdesk can believe so far.`;
  }
  const { mostPreVerificationGas, mostCallGasLimit, mostPostOpGasLimit, mostMaxFeePerGasWei, mostTipWei } = evidence;
  const demands: (string | false)[] = [
    mostPreVerificationGas !== undefined && `a preVerificationGas of at most ${String(mostPreVerificationGas)}`,
    mostCallGasLimit !== undefined && `a callGasLimit of at most ${String(mostCallGasLimit)}`,
    mostPostOpGasLimit !== undefined && `a paymasterPostOpGasLimit of at most ${String(mostPostOpGasLimit)}`,
    mostMaxFeePerGasWei !== undefined &&
      `a maxFeePerGas of at most ${String(mostMaxFeePerGasWei)} wei` +
        (mostTipWei === undefined ? '' : `, or a maxPriorityFeePerGas of at most ${String(mostTipWei)} wei`),
  ];
  const listed = demands.filter((demand) => demand !== false).join(' and ');
  const orEstimated = 'Let Gasdesk estimate the gas (calculateGasLimits: true), or send it';
  return `${mostMaxFeePerGasWei === undefined ? orEstimated : 'Send it'} with ${listed}.`;
};

/** States what is known about the gas that the operation's call uses. */
const callUses = ({ callGasUsed }: Evidence): string =>
  callGasUsed === null
    ? 'the node does not simulate it, so none of it counts as used'
    : `its call uses ${String(callGasUsed)}`;

const denials = {
  FEE_TOO_LOW: ({ maxFeePerGasWei, baseFeeWei }) => ({
    message: `The operation offers ${String(maxFeePerGasWei)} wei per gas, but the chain requires at least ${String(baseFeeWei)}.`,
    hint: `Send it with a maxFeePerGas of at least ${String(baseFeeWei)} wei.`,
  }),
  FEE_TOO_HIGH: (evidence) => {
    const { maxFeePerGasWei, pricePerGasWei, surplusWei, mostMaxFeePerGasWei } = evidence;
    return surplusWei === undefined
      ? {
          message: `The operation offers up to ${String(maxFeePerGasWei)} wei per gas where ${chainFees(evidence)}; at most ${String(mostMaxFeePerGasWei)} are sponsored.`,
          hint: wouldPass(evidence),
        }
      : {
          message: `The operation pays ${String(pricePerGasWei)} wei per gas where ${chainFees(evidence)}. ${gain(evidence)}`,
          hint: wouldPass(evidence),
        };
  },
  CALL_GAS_TOO_HIGH: (evidence) => ({
    message: `The callGasLimit of the operation is ${String(evidence.callGasLimit)}, but ${callUses(evidence)}; the EntryPoint pays the bundler a tenth of what is left. ${gain(evidence)}`,
    hint: wouldPass(evidence),
  }),
  GAS_ABOVE_BLOCK: ({ gas, blockGasLimit }) => ({
    message: `The gas limits of the operation add up to ${String(gas)}, but a block holds ${String(blockGasLimit)}.`,
    hint: `Let Gasdesk estimate the gas (calculateGasLimits: true), or send lower limits that add up to at most ${String(blockGasLimit)}.`,
  }),
  GAS_ABOVE_TRANSACTION: ({ gas, mostTransactionGas }) => ({
    message: `A transaction with this operation needs ${String(gas)} gas, but on this chain a transaction has at most ${String(mostTransactionGas)} (EIP-7825).`,
    hint: `Let Gasdesk estimate the gas (calculateGasLimits: true), or send gas limits that are lower by ${String(BigInt(String(gas)) - BigInt(String(mostTransactionGas)))} together.`,
  }),
  PRE_VERIFICATION_GAS_TOO_HIGH: (evidence) => ({
    message:
      `The preVerificationGas of the operation is ${String(evidence.preVerificationGas)}, but a bundle of the operation alone costs ${String(evidence.bundleGas)} gas.` +
      (evidence.surplusWei === undefined ? '' : ` ${gain(evidence)}`),
    hint: wouldPass(evidence),
  }),
  OPERATION_COST_TOO_HIGH: (evidence) => ({
    message: `The operation may cost up to ${coins(evidence.requiredWei, evidence)}; one operation may cost at most ${coins(evidence.mostCostWei, evidence)} on this chain.`,
    hint: `Send it with lower gas limits${lowerFee(evidence)}. To allow it, the operator runs "gasdesk chain set ${String(evidence.chainId)} --max-operation-cost ${weiToDecimal(BigInt(String(evidence.requiredWei)))}".`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** The gas and fees of an operation and of its chain. Gas is in gas units, prices are in wei per gas. */
export interface FeeFacts {
  readonly offer: Offer;
  /** The sum of the operation's gas limits for execution. */
  readonly executionGas: bigint;
  /** The gas of a transaction with this operation alone, which makes use of all of its limits. */
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
const codeOf = ({ price, preVerification, penalty }: SurplusParts): keyof typeof denials => {
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
const unpricedDenial = ({ offer: { preVerificationGas, bundleGas } }: FeeFacts): Result | undefined => {
  const mostGas = 2n * bundleGas;
  if (preVerificationGas <= mostGas) return undefined;
  const evidence = { preVerificationGas: String(preVerificationGas), bundleGas: String(bundleGas) };
  return deny('PRE_VERIFICATION_GAS_TOO_HIGH', { ...evidence, mostPreVerificationGas: String(mostGas) });
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

const feeFactsOf = ({ facts, policy, op, layout, payment, requiredWei, symbol }: RuleInput): FeeFacts => {
  const { chain, gasUsed, stage, authority } = facts;
  const schedule = gasSchedules[facts.gasSchedule];
  const entryPoint = entryPoints[layout.entryPointVersion];
  const gas = executionGas(op);
  const { chainId } = policy.dapp;
  const l1DataGas = chain === null ? uncheckedL1DataGas(chainId) : BigInt(chain.l1DataGas);
  const prices = pricesOf(chain);
  // A quote may omit the fees, so 0 is not too low.
  const areFeesOpen = stage === 'draft' && op.maxFeePerGas === 0n;
  return {
    offer: offerOf(entryPoint, op, {
      schedule,
      authority,
      l1DataGas,
      isPaidInToken: payment !== undefined,
      ...(gasUsed && { gasUsed: { validation: BigInt(gasUsed.validation), call: BigInt(gasUsed.call) } }),
    }),
    executionGas: gas,
    transactionGas: gas + bundleGas({ entryPoint, schedule, authority }, op, gas),
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
export const fees: RuleKind<keyof typeof denials> = {
  type: 'fees',
  title: 'Fees',
  denials,
  // A draft may contain any gas values and fees, because they are still to be estimated.
  bindsDrafts: false,
  check: (input) => [checkFees(feeFactsOf(input))],
};
