import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { maxCost, sponsoredMaxCostV06 } from '../user-operation/max-cost.ts';
import type { TokenContract, TokenContractKind } from './token-contract.ts';

/** Gas that singletons charge for their own postOp: a token behind a proxy, moved to an account that has none yet. */
export const POST_OP_GAS = 60_000n;
/** Gas that SingletonPaymasterV7 takes its validation for when it estimates the unused gas. */
export const PAYMASTER_VALIDATION_GAS = 30_000n;
/** Gas that Biconomy's token paymaster charges on top: its default, for its owner may change it. */
const UNACCOUNTED_GAS = 45_000n;

/** Gas limits of the operation, and what was signed about the paymaster's own gas. */
export interface ChargedLimits {
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
  readonly paymasterPostOpGasLimit?: bigint;
  readonly postOpGas: bigint;
  readonly paymasterValidationGasLimit: bigint;
}

/** What an operation has cost. */
export interface ActualCost {
  /** Wei, as the EntryPoint tells the paymaster in postOp. */
  readonly actualGasCost: bigint;
  /** Wei per gas that the operation pays; for Biconomy's contract the gas price of the bundle. */
  readonly feePerGas: bigint;
}

/** Gas for the tenth of unused execution gas that EntryPoint v0.7 takes after it has asked the paymaster. */
const penaltyGas = (
  { actualGasCost, feePerGas }: ActualCost,
  { paymasterPostOpGasLimit = 0n, ...limits }: ChargedLimits,
): bigint => {
  if (feePerGas === 0n) return 0n;
  const before = limits.preVerificationGas + limits.verificationGasLimit + limits.paymasterValidationGasLimit;
  const execution = actualGasCost / feePerGas + limits.postOpGas - before;
  const used = execution > 0n ? execution : 0n;
  const limit = limits.callGasLimit + paymasterPostOpGasLimit;
  return limit > used ? ((limit - used) * 10n) / 100n : 0n;
};

/**
 * Wei that a contract turns into tokens for an operation (test/vectors, `pimlicoErc20.tokenCharge` and the cases of
 * biconomy-token-paymaster-v0.6).
 */
export const chargedWei = (kind: TokenContractKind, cost: ActualCost, limits: ChargedLimits): bigint => {
  const { actualGasCost, feePerGas } = cost;
  switch (kind) {
    case 'biconomy-token-0.6':
      return actualGasCost + UNACCOUNTED_GAS * feePerGas;
    case 'singleton-0.7':
      return actualGasCost + (limits.postOpGas + penaltyGas(cost, limits)) * feePerGas;
    case 'singleton-0.6':
    case 'singleton-0.8':
      return actualGasCost + limits.postOpGas * feePerGas;
  }
};

/** The EntryPoint's `requiredPreFund` for the operation once it names the paymaster; wei. */
export const requiredPreFund = (op: UserOperation, { address }: Pick<TokenContract, 'address'>): bigint =>
  'initCode' in op ? sponsoredMaxCostV06(op) : maxCost({ ...op, paymaster: address });

/**
 * The most wei that a contract can turn into tokens for an operation: all gas used at its highest fee. Biconomy's
 * contract goes by the gas price of the bundle, which a bundler that does not pay for others keeps below that fee.
 */
export const mostChargedWei = (contract: Pick<TokenContract, 'kind' | 'address'>, op: UserOperation): bigint => {
  const cost = { actualGasCost: requiredPreFund(op, contract), feePerGas: op.maxFeePerGas };
  const own = { postOpGas: POST_OP_GAS, paymasterValidationGasLimit: PAYMASTER_VALIDATION_GAS };
  return chargedWei(contract.kind, cost, { ...op, ...own });
};
