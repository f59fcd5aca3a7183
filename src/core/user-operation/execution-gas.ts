import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';

/** The sum of an operation's gas limits for its execution. */
export const executionGas = (op: UserOperation): bigint => {
  const own = op.callGasLimit + op.verificationGasLimit;
  return isV06(op) ? own : own + (op.paymasterVerificationGasLimit ?? 0n) + (op.paymasterPostOpGasLimit ?? 0n);
};
