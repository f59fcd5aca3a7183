import type { Address, Hex } from '../../shared/schema/hex.ts';
import { MAX_CALLS } from './abi-reader.ts';
import type { AccountCall, Operation } from './account-call.ts';
import { DecodeError, type DecodeErrorCode } from './decode-error.ts';
import { multiSendAt, unpackMultiSend } from './multi-send.ts';

/** A call that the account makes. Addresses are lower case; `value` is wei, and zero unless `operation` is `call`. */
export interface DecodedCall {
  target: Address;
  value: bigint;
  data: Hex;
  operation: Operation;
}

/**
 * The result of decoding callData. `via` lists the MultiSend contracts that were unpacked; `detail` is for the
 * operator.
 */
export type Decoding =
  | { outcome: 'decoded'; calls: DecodedCall[]; via: Address[] }
  | { outcome: 'undecodable'; code: DecodeErrorCode; detail: string };

interface CollectedCalls {
  calls: AccountCall[];
  via: Address[];
}

const MAX_MULTI_SEND_DEPTH = 4;

/**
 * Decodes the calls that `read` finds in `byteCount` bytes, without those that are `harmless`. A delegatecall to a
 * known MultiSend is replaced by the calls that the MultiSend makes. If `read` throws a `DecodeError`, the result is
 * `undecodable`.
 */
export const decodingOf = (
  read: () => AccountCall[],
  { account, byteCount, harmless }: { account: Address; byteCount: number; harmless?: (call: AccountCall) => boolean },
): Decoding => {
  try {
    const found: CollectedCalls = { calls: [], via: [] };
    for (const call of read()) collect(call, account, 0, found);
    const calls = harmless === undefined ? found.calls : found.calls.filter((call) => !harmless(call));
    return { outcome: 'decoded', calls: toDecodedCalls(calls, byteCount), via: found.via };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { outcome: 'undecodable', code: error.code, detail: error.message };
  }
};

/**
 * Adds `call` to `found`. If it is a delegatecall to a known MultiSend, adds the calls that the MultiSend makes
 * instead.
 */
const collect = (call: AccountCall, account: Address, depth: number, found: CollectedCalls): void => {
  const multiSend = call.operation === 'delegatecall' ? multiSendAt(call.target) : undefined;
  if (!multiSend) {
    if (found.calls.length === MAX_CALLS) throw new DecodeError('TOO_MANY_CALLS', `There are over ${MAX_CALLS} calls.`);
    found.calls.push(call);
    return;
  }
  if (depth === MAX_MULTI_SEND_DEPTH) {
    throw new DecodeError('NESTED_TOO_DEEP', `MultiSend is nested more than ${MAX_MULTI_SEND_DEPTH} deep.`);
  }
  found.via.push(call.target);
  for (const inner of unpackMultiSend(call.data, multiSend, account)) collect(inner, account, depth + 1, found);
};

const toDecodedCalls = (calls: AccountCall[], byteCount: number): DecodedCall[] => {
  // Offsets may share bytes, so a short callData could expand to gigabytes. An honest encoding repeats no bytes.
  if (calls.reduce((total, { data }) => total + data.length, 0) > byteCount) {
    throw new DecodeError('MALFORMED_CALL_DATA', 'The calls share bytes and add up to more data than the callData.');
  }
  return calls.map((call) => ({ ...call, data: call.data.hex() }));
};
