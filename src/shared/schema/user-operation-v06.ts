import { z } from 'zod';
import { address, hex } from './hex.ts';
import { quantity } from './quantity.ts';
import type { UserOperationV06 } from './user-operation.ts';

/** A complete, signed user operation for EntryPoint v0.6, as bundlers accept it. */
export const userOperationV06 = z.strictObject({
  sender: address,
  nonce: quantity,
  initCode: hex,
  callData: hex,
  callGasLimit: quantity,
  verificationGasLimit: quantity,
  preVerificationGas: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  paymasterAndData: hex,
  signature: hex,
}) satisfies z.ZodType<UserOperationV06>;
