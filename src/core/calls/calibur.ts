import type { AccountDecoder } from './account-call.ts';
import { readCallTuples } from './account-call.ts';
import { DecodeError } from './decode-error.ts';

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/**
 * First bytes of the callData after `executeUserOp` for Uniswap's Calibur. They are not a selector, but the start of
 * the offset (a small number) of `((address,uint256,bytes)[] calls, bool revertOnFailure)`.
 */
export const CALIBUR_BEGINS = '0x00000000';

/** Decodes the calls of Calibur's batch. Calibur treats a zero target as the account itself. */
export const readCalibur: AccountDecoder = (args, sender) => {
  const batch = args.tail(0);
  if (batch.uint256(32) > 1n) throw new DecodeError('MALFORMED_CALL_DATA', 'A truth value is neither 0 nor 1.');
  return readCallTuples(batch).map((call) => (call.target === ZERO_ADDRESS ? { ...call, target: sender } : call));
};
