import type { AccountDecoder } from './account-call.ts';
import { readCall, readTargetsValuesAndData } from './account-call.ts';
import { DecodeError } from './decode-error.ts';

const execute: AccountDecoder = (args) => [readCall(args)];

const executeBatch: AccountDecoder = (args) => {
  const calls = readTargetsValuesAndData(args, false);
  if (calls.length === 0) throw new DecodeError('MALFORMED_CALL_DATA', 'This account refuses a batch without calls.');
  return calls;
};

/** The execute functions that only Biconomy Smart Account V1 and V2 have, by selector. */
export const biconomy: Readonly<Record<string, AccountDecoder>> = {
  // V2: execute_ncC(address,uint256,bytes)
  '0x0000189a': execute,
  // V2: executeBatch_y6U(address[],uint256[],bytes[])
  '0x00004680': executeBatch,
  // V1: executeCall(address,uint256,bytes)
  '0x9e5d4c49': execute,
  // V1: executeCall_s1m(address,uint256,bytes)
  '0x00000772': execute,
  // V1: executeBatchCall(address[],uint256[],bytes[])
  '0x912ccaa3': executeBatch,
  // V1: executeBatchCall_4by(address[],uint256[],bytes[])
  '0x00008f2d': executeBatch,
};
