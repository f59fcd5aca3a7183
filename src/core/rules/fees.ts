import { type DenialRows, coins } from '../../shared/denials.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import type { Evidence } from '../../shared/denials.ts';
import { defaultMaxOperationCostWei, knownChains } from '../../shared/chains.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { mostPreVerificationGas } from '../user-operation/pre-verification-bound.ts';
import { type CheckResult, type RuleInput, type RuleKind, deny, pass, skip } from './rule.ts';

/** The fee at which the operation costs no more than it may, where the chain takes that: costs go up as it does. */
const lowerFee = ({ maxFeePerGasWei, baseFeeWei = 0, requiredWei, mostCostWei }: Evidence): string => {
  const mostWei = (BigInt(String(maxFeePerGasWei)) * BigInt(String(mostCostWei))) / BigInt(String(requiredWei));
  return mostWei < BigInt(String(baseFeeWei)) ? '' : ` or a maxFeePerGas of at most ${mostWei} wei`;
};

const denials = {
  FEE_TOO_LOW: ({ maxFeePerGasWei, baseFeeWei }) => ({
    message: `The operation offers ${String(maxFeePerGasWei)} wei per gas, but the chain requires at least ${String(baseFeeWei)}.`,
    hint: `Send it with a maxFeePerGas of at least ${String(baseFeeWei)} wei.`,
  }),
  FEE_TOO_HIGH: ({ maxFeePerGasWei, mostMaxFeePerGasWei, pricePerGasWei, mostWei, ...chain }) => {
    const { baseFeeWei, suggestedTipWei } = chain;
    const asks =
      `the chain asks for ${String(baseFeeWei)}` +
      (suggestedTipWei === undefined ? '' : ` and a tip of ${String(suggestedTipWei)}`);
    return mostMaxFeePerGasWei === undefined
      ? {
          message: `The operation pays up to ${String(pricePerGasWei)} wei per gas where ${asks}; at most ${String(mostWei)} are sponsored.`,
          hint: `Send it with a maxFeePerGas of at most ${String(mostWei)} wei, or a maxPriorityFeePerGas of at most ${BigInt(String(mostWei)) - BigInt(String(baseFeeWei))} wei.`,
        }
      : {
          message: `The operation offers up to ${String(maxFeePerGasWei)} wei per gas where ${asks}; at most ${String(mostMaxFeePerGasWei)} are sponsored.`,
          hint: `Send it with a maxFeePerGas of at most ${String(mostMaxFeePerGasWei)} wei.`,
        };
  },
  GAS_ABOVE_BLOCK: ({ gas, blockGasLimit }) => ({
    message: `The gas limits of the operation add up to ${String(gas)}, but a block holds ${String(blockGasLimit)}.`,
    hint: `Let Gasdesk estimate the gas (calculateGasLimits: true), or send lower limits that add up to at most ${String(blockGasLimit)}.`,
  }),
  PRE_VERIFICATION_GAS_TOO_HIGH: ({ preVerificationGas, most }) => ({
    message: `The operation gives its bundler ${String(preVerificationGas)} preVerificationGas, but its calldata is worth at most ${String(most)}.`,
    hint: `Let Gasdesk estimate the gas (calculateGasLimits: true), or send at most ${String(most)}.`,
  }),
  OPERATION_COST_TOO_HIGH: (evidence) => ({
    message: `The operation may cost up to ${coins(evidence.requiredWei, evidence)}; one operation may cost at most ${coins(evidence.mostCostWei, evidence)} on this chain.`,
    hint: `Send it with lower gas limits${lowerFee(evidence)}. To allow it, the operator runs "gasdesk chain set ${String(evidence.chainId)} --max-operation-cost ${weiToDecimal(BigInt(String(evidence.requiredWei)))}".`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

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
  /** The tip the node suggests; undefined where it suggests none. */
  readonly suggestedTipWei: bigint | undefined;
  readonly blockGasLimit: bigint | undefined;
  /** The most wei that the operation can take from the tank. */
  readonly maxCostWei: bigint;
  /** The most wei that one operation may cost, as the operator has set it; undefined: {@link defaultCostWei}. */
  readonly operatorCostWei: bigint | undefined;
  /** That bound where neither the operator nor the chain tells one. */
  readonly uncheckedCostWei: bigint;
  /** What a chain of layer 2 charges for the operation's data, in gas. */
  readonly l1DataGas: bigint;
  readonly chainId: number;
  /** What the coin of the chain is called. */
  readonly symbol: string;
}

const GWEI = 10n ** 9n;

/** How often what the chain asks may be offered, so that urgent operations on busy chains pass. */
const FEE_MULTIPLE = 10n;
/** How often what the node suggests may be tipped: chains like Polygon have tips and hardly a base fee. */
const TIP_MULTIPLE = 3n;
/** No chain's usual tip is above it: a node that says more is not believed. */
const MOST_SUGGESTED_TIP_WEI = 100n * GWEI;
/**
 * The gas of the largest operations that are honest, at the price the chain asks: the deployment of an account with a
 * passkey takes 5 million on EntryPoint v0.6, whose verificationGasLimit counts three times, and clients offer twice
 * the price; a usual one takes 1.8 million, and ten times the price where it is urgent.
 */
const COST_GAS = 20_000_000n;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const believedTip = (suggestedWei = 0n): bigint => least(suggestedWei, MOST_SUGGESTED_TIP_WEI);

/** The most wei that one operation may cost where the operator says nothing: so much gas at the price the chain asks. */
const defaultCostWei = ({ baseFeeWei, suggestedTipWei, l1DataGas, uncheckedCostWei }: FeeFacts): bigint =>
  baseFeeWei === undefined ? uncheckedCostWei : (COST_GAS + l1DataGas) * (baseFeeWei + believedTip(suggestedTipWei));

/** Why the prices or the gas of an operation are denied on a chain with this base fee; undefined where they are not. */
const priceDenial = (facts: FeeFacts, baseFeeWei: bigint, evidence: Evidence): Result | undefined => {
  const { maxFeePerGasWei, maxPriorityFeePerGasWei, blockGasLimit } = facts;
  if (maxFeePerGasWei < baseFeeWei) return deny('FEE_TOO_LOW', evidence);
  const tipWei = believedTip(facts.suggestedTipWei);
  const mostOffered = FEE_MULTIPLE * (baseFeeWei + tipWei);
  // EntryPoint: min(maxFeePerGas, maxPriorityFeePerGas + block.basefee)
  const pricePerGas = least(maxFeePerGasWei, maxPriorityFeePerGasWei + baseFeeWei);
  const mostPrice = baseFeeWei + most(TIP_MULTIPLE * tipWei, baseFeeWei);
  if (maxFeePerGasWei > mostOffered) {
    // Under a tip that is too high as well, only the lower bound passes.
    const mostMaxFee = pricePerGas > mostPrice ? mostPrice : mostOffered;
    return deny('FEE_TOO_HIGH', { ...evidence, mostMaxFeePerGasWei: String(mostMaxFee) });
  }
  if (pricePerGas > mostPrice) {
    return deny('FEE_TOO_HIGH', { ...evidence, pricePerGasWei: String(pricePerGas), mostWei: String(mostPrice) });
  }
  const gas = facts.executionGas + facts.preVerificationGas;
  return blockGasLimit !== undefined && gas > blockGasLimit
    ? deny('GAS_ABOVE_BLOCK', { gas: String(gas), blockGasLimit: String(blockGasLimit) })
    : undefined;
};

/**
 * An operation must offer the base fee. One below it can be mined only by a bundler that pays the rest itself, while
 * version 1.1.0 charges its overhead at the price of the bundle: more than was reserved for it. Nor may it give its
 * bundler far more than the bundle costs: the sender may be the bundler, and carry the tank away. Whatever it gives
 * is bounded by what the chain says, never by what the request says of itself; and what all bounds together let pass
 * costs no more than the operator allows for one operation.
 */
export const checkFees = (facts: FeeFacts): Result => {
  const { maxFeePerGasWei, preVerificationGas, mostPreVerificationGas, baseFeeWei, suggestedTipWei } = facts;
  const offered = { maxFeePerGasWei: String(maxFeePerGasWei) };
  if (preVerificationGas > mostPreVerificationGas) {
    const gas = { preVerificationGas: String(preVerificationGas), most: String(mostPreVerificationGas) };
    return deny('PRE_VERIFICATION_GAS_TOO_HIGH', gas);
  }
  const suggested = suggestedTipWei === undefined ? {} : { suggestedTipWei: String(suggestedTipWei) };
  const evidence = { ...offered, ...(baseFeeWei !== undefined && { baseFeeWei: String(baseFeeWei) }), ...suggested };
  const denial = baseFeeWei === undefined ? undefined : priceDenial(facts, baseFeeWei, evidence);
  if (denial !== undefined) return denial;
  const { maxCostWei, chainId, symbol } = facts;
  const mostCostWei = facts.operatorCostWei ?? defaultCostWei(facts);
  const bounded = { ...evidence, mostCostWei: String(mostCostWei) };
  if (maxCostWei > mostCostWei) {
    return deny('OPERATION_COST_TOO_HIGH', { ...bounded, requiredWei: String(maxCostWei), chainId, symbol });
  }
  return baseFeeWei === undefined ? skip('BASE_FEE_UNKNOWN', bounded) : pass('FEE_COVERS_BASE', bounded);
};

/** Room for data of an operation on a chain of layer 2 whose oracle nobody can ask, in gas. */
const UNCHECKED_L1_DATA_GAS = 2_500_000n;

/** What a chain may charge for an operation's data where it cannot be asked. Chains that no list names may be of layer 2. */
const uncheckedL1DataGas = (chainId: number): bigint => {
  const known = knownChains.get(chainId);
  return known !== undefined && known.rollup === undefined ? 0n : UNCHECKED_L1_DATA_GAS;
};

const executionGas = (op: UserOperation): bigint => {
  const own = op.callGasLimit + op.verificationGasLimit;
  return isV06(op) ? own : own + (op.paymasterVerificationGasLimit ?? 0n) + (op.paymasterPostOpGasLimit ?? 0n);
};

const optional = (value: string | null | undefined): bigint | undefined =>
  value === undefined || value === null ? undefined : BigInt(value);

const feeFactsOf = ({ facts, policy, op, layout, requiredWei, symbol }: RuleInput): FeeFacts => {
  const { chain, stage } = facts;
  const { chainId } = policy.dapp;
  const l1DataGas = chain === null ? uncheckedL1DataGas(chainId) : BigInt(chain.l1DataGas);
  // Fees may be open in a quote: 0 is not too low.
  const areFeesOpen = stage === 'draft' && op.maxFeePerGas === 0n;
  return {
    maxFeePerGasWei: op.maxFeePerGas,
    maxPriorityFeePerGasWei: op.maxPriorityFeePerGas,
    executionGas: executionGas(op),
    preVerificationGas: op.preVerificationGas,
    mostPreVerificationGas: mostPreVerificationGas(layout.entryPointVersion, op, l1DataGas),
    baseFeeWei: chain === null || !areFeesOpen ? optional(chain?.baseFeeWei) : 0n,
    suggestedTipWei: optional(chain?.suggestedTipWei),
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
 * What an operation may offer for its gas. It binds users who pay in a token, too: the paymaster pays the bundler there
 * as well.
 */
export const fees: RuleKind<keyof typeof denials> = {
  type: 'fees',
  title: 'Fees',
  denials,
  // Whoever asks for paymaster data to estimate with may have put any value for gas and fees.
  bindsDrafts: false,
  check: (input) => [checkFees(feeFactsOf(input))],
};
