import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { word } from './hex-digits.ts';

/**
 * The ABI words of gas and fees, in the order of v0.6's UserOperation: every contract of v0.6 hashes them in this
 * order.
 */
export const gasWordsV06 = (op: UserOperationV06): string =>
  word(op.callGasLimit) +
  word(op.verificationGasLimit) +
  word(op.preVerificationGas) +
  word(op.maxFeePerGas) +
  word(op.maxPriorityFeePerGas);
