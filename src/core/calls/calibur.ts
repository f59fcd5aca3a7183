import type { AccountDecoder } from './account-call.ts';
import { readCallTuples } from './account-call.ts';
import { DecodeError } from './decode-error.ts';

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/**
 * How the callData after `executeUserOp` begins for Uniswap's Calibur: it names no function. Then comes one
 * `((address,uint256,bytes)[] calls, bool revertOnFailure)`, whose offset is a small number.
 */
export const CALIBUR_BEGINS = '0x00000000';

/** The calls of Calibur's batch, which takes target zero as the account itself. */
export const readCalibur: AccountDecoder = (args, sender) => {
  const batch = args.tail(0);
  if (batch.uint256(32) > 1n) throw new DecodeError('MALFORMED_CALL_DATA', 'A truth value is neither 0 nor 1.');
  return readCallTuples(batch).map((call) => (call.target === ZERO_ADDRESS ? { ...call, target: sender } : call));
};
