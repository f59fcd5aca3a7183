import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { word } from './hex-digits.ts';

/**
 * The gas and fee fields as ABI words, in the field order of v0.6's UserOperation. Every v0.6 contract hashes them in
 * this order.
 */
export const gasWordsV06 = (op: UserOperationV06): string =>
  word(op.callGasLimit) +
  word(op.verificationGasLimit) +
  word(op.preVerificationGas) +
  word(op.maxFeePerGas) +
  word(op.maxPriorityFeePerGas);
