import { isV06 } from '../../shared/schema/user-operation.ts';
import type { UserOperation, UserOperationV06, UserOperationV07 } from '../../shared/schema/user-operation.ts';

/** The largest gas limit or fee that an EntryPoint accepts. It refuses an operation with a larger one with AA94. */
const MAX_GAS_FIELD = (1n << 120n) - 1n;

/** The gas limits of the paymaster's calls in v0.7 and later. They apply only if the operation has a paymaster. */
const paymasterGasLimits = (op: UserOperationV07): bigint[] =>
  op.paymaster === undefined ? [] : [op.paymasterVerificationGasLimit ?? 0n, op.paymasterPostOpGasLimit ?? 0n];

const gasFields = (op: UserOperation): bigint[] => [
  op.callGasLimit,
  op.verificationGasLimit,
  op.preVerificationGas,
  ...(isV06(op) ? [] : paymasterGasLimits(op)),
];

/**
 * The maximum amount in wei that EntryPoint v0.6 can charge the paymaster's deposit for the operation once it is
 * sponsored, whatever its `paymasterAndData` contains now. verificationGasLimit counts three times: for account,
 * paymaster and postOp.
 */
export const sponsoredMaxCostV06 = (op: UserOperationV06): bigint =>
  (op.callGasLimit + 3n * op.verificationGasLimit + op.preVerificationGas) * op.maxFeePerGas;

/**
 * The maximum amount in wei that the EntryPoint can charge for the operation in its current form (`requiredPreFund`).
 * If the operation names a paymaster, the paymaster's deposit is charged, otherwise the account. With a paymaster, v0.6
 * counts verificationGasLimit three times; v0.7 and v0.8 add the paymaster's two limits.
 */
export function maxCost(op: UserOperation): bigint {
  if (isV06(op) && op.paymasterAndData !== '0x') return sponsoredMaxCostV06(op);
  return gasFields(op).reduce((sum, gas) => sum + gas, 0n) * op.maxFeePerGas;
}

const BOUNDED_FIELDS = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
] as const;

/** The first field above 2^120 - 1, for which the EntryPoint refuses the operation with "AA94 gas values overflow". */
export const fieldOutOfBounds = (op: UserOperation): string | undefined => {
  const fields: Partial<Record<(typeof BOUNDED_FIELDS)[number], bigint>> = op;
  return BOUNDED_FIELDS.find((field) => (fields[field] ?? 0n) > MAX_GAS_FIELD);
};
