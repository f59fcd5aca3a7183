import { type DenialRows, type Evidence, coins } from '../../shared/denials.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';

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
  const orEstimated =
    evidence.otherAuthorizations === undefined
      ? 'Let Gasdesk estimate the gas (calculateGasLimits: true), or send it'
      : 'Send it when the earlier operation is mined or expired, or now';
  return `${mostMaxFeePerGasWei === undefined ? orEstimated : 'Send it'} with ${listed}.`;
};

/** States what is known about the gas that the operation's call uses. */
const callUses = ({ callGasUsed }: Evidence): string =>
  callGasUsed === null
    ? 'the node does not simulate it, so none of it counts as used'
    : `its call uses ${String(callGasUsed)}`;

/** The texts of denials by the rule `fees`. */
export const feeDenials = {
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
      (evidence.surplusWei === undefined ? '' : ` ${gain(evidence)}`) +
      (evidence.otherAuthorizations === undefined
        ? ''
        : ' An earlier operation of the account that is not mined yet pays for its EIP-7702 authorisation.'),
    hint: wouldPass(evidence),
  }),
  OPERATION_COST_TOO_HIGH: (evidence) => ({
    message: `The operation may cost up to ${coins(evidence.requiredWei, evidence)}; one operation may cost at most ${coins(evidence.mostCostWei, evidence)} on this chain.`,
    hint: `Send it with lower gas limits${lowerFee(evidence)}. To allow it, the operator runs "gasdesk chain set ${String(evidence.chainId)} --max-operation-cost ${weiToDecimal(BigInt(String(evidence.requiredWei)))}".`,
  }),
} satisfies DenialRows;
