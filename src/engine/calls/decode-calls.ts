import { addressKey, isHex, type Address, type Hex } from '../../shared/schema/hex.ts';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';
import { AbiReader, MAX_CALLS } from './abi-reader.ts';
import type { AccountCall, Operation } from './account-call.ts';
import { accountFunctions } from './account-functions.ts';
import { DecodeError, type DecodeFault } from './decode-fault.ts';
import { multiSendAt, unpackMultiSend } from './multi-send.ts';

/** A call the account makes. Addresses are lower case; `value` is wei, zero unless `operation` is `call`. */
export interface DecodedCall {
  target: Address;
  value: bigint;
  data: Hex;
  operation: Operation;
}

/** What callData leads to. `via` lists the MultiSend contracts unpacked on the way; `detail` is for the operator. */
export type Decoding =
  | { outcome: 'decoded'; calls: DecodedCall[]; via: Address[] }
  | { outcome: 'undecodable'; code: DecodeFault; detail: string };

interface DecodeContext {
  sender: Address;
  entryPointVersion: EntryPointVersion;
}

interface Found {
  calls: AccountCall[];
  via: Address[];
}

// executeUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32)
const EXECUTE_USER_OP = '0x8dd7712f';
const MAX_MULTI_SEND_DEPTH = 4;

/**
 * Decodes a user operation's callData into the calls the account makes, in order. Only the first level is listed: a
 * call to `sender` or to another contract may lead to further calls. Delegatecalls to a known MultiSend are replaced by
 * what it runs. Never throws, and returns no more data than `callData` holds, whatever the input.
 */
export function decodeCalls(callData: Hex, context: DecodeContext): Decoding {
  try {
    if (!isHex(callData)) throw new DecodeError('MALFORMED_CALL_DATA', 'The callData is not hex of whole bytes.');
    const bytes = Buffer.from(callData.slice(2), 'hex');
    const found: Found = { calls: [], via: [] };
    const sender = addressKey(context.sender);
    for (const call of readAccountCalls(new AbiReader(bytes), { ...context, sender })) collect(call, sender, 0, found);
    return { outcome: 'decoded', calls: toDecodedCalls(found.calls, bytes.length), via: found.via };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { outcome: 'undecodable', code: error.code, detail: error.message };
  }
}

const readAccountCalls = (callData: AbiReader, { sender, entryPointVersion }: DecodeContext): AccountCall[] => {
  if (callData.length === 0) return [];
  const outer = readSelector(callData);
  // From v0.7 on the EntryPoint itself calls executeUserOp, and the account runs the rest; v0.6 knows no such prefix.
  const prefixed = outer === EXECUTE_USER_OP && entryPointVersion !== '0.6';
  const inner = prefixed ? callData.slice(4) : callData;
  const selector = readSelector(inner);
  if (prefixed && selector === EXECUTE_USER_OP) {
    throw new DecodeError('NESTED_EXECUTE_USER_OP', 'A second executeUserOp stands behind the first.');
  }
  const decode = accountFunctions.get(selector);
  if (!decode) throw new DecodeError('UNKNOWN_SELECTOR', `The account function ${selector} is not a known execute.`);
  return decode(inner.slice(4), sender);
};

const readSelector = (callData: AbiReader): Hex => {
  if (callData.length < 4) throw new DecodeError('UNKNOWN_SELECTOR', 'The callData is too short to name a function.');
  return callData.slice(0, 4).hex();
};

/** Adds `call` to `found`, or the calls it makes if it is a delegatecall to a known MultiSend. */
const collect = (call: AccountCall, account: Address, depth: number, found: Found): void => {
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

const toDecodedCalls = (calls: AccountCall[], callDataLength: number): DecodedCall[] => {
  // Offsets may share bytes, so a small callData could stand for gigabytes; an honest encoding holds all its data.
  if (calls.reduce((total, { data }) => total + data.length, 0) > callDataLength) {
    throw new DecodeError('MALFORMED_CALL_DATA', 'The calls share bytes and add up to more data than the callData.');
  }
  return calls.map((call) => ({ ...call, data: call.data.hex() }));
};
