import { addressKey, isHex, type Address, type Hex } from '../../shared/schema/hex.ts';
import type { EntryPointVersion } from '../../shared/schema/user-operation.ts';
import { entryPoints } from '../entry-points/registry.ts';
import { AbiReader } from './abi-reader.ts';
import type { AccountCall } from './account-call.ts';
import { accountFunctions } from './account-functions.ts';
import { CALIBUR_BEGINS, readCalibur } from './calibur.ts';
import { DecodeError } from './decode-error.ts';
import { type Decoding, decodingOf } from './decoding.ts';

interface DecodeContext {
  sender: Address;
  /** Undefined if Gasdesk does not know the EntryPoint. */
  entryPointVersion: EntryPointVersion | undefined;
}

// executeUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32)
const EXECUTE_USER_OP = '0x8dd7712f';

/**
 * Decodes a user operation's callData into the calls that the account makes, in order. Only direct calls are listed: a
 * call to `sender` or to another contract may lead to further calls. A delegatecall to a known MultiSend is replaced by
 * the calls that the MultiSend makes. Never throws, and never returns more data than `callData` contains.
 */
export function decodeCalls(callData: Hex, context: DecodeContext): Decoding {
  const sender = addressKey(context.sender);
  const read = (): AccountCall[] => readAccountCalls(readHex(callData), { ...context, sender });
  return decodingOf(read, { account: sender, byteCount: callData.length / 2 - 1 });
}

/** A view of `data`. @throws DecodeError if it is not hex */
export const readHex = (data: Hex): AbiReader => {
  if (!isHex(data)) throw new DecodeError('MALFORMED_CALL_DATA', 'The callData is not hex of whole bytes.');
  return new AbiReader(data.slice(2).toLowerCase());
};

const readAccountCalls = (callData: AbiReader, { sender, entryPointVersion }: DecodeContext): AccountCall[] => {
  if (callData.length === 0) return [];
  const outer = readSelector(callData);
  // If the EntryPoint calls executeUserOp, the account executes the callData that follows this selector.
  const prefixed =
    outer === EXECUTE_USER_OP && entryPointVersion !== undefined && entryPoints[entryPointVersion].callsExecuteUserOp;
  const inner = prefixed ? callData.slice(4) : callData;
  const selector = readSelector(inner);
  if (prefixed && selector === EXECUTE_USER_OP) {
    throw new DecodeError('NESTED_EXECUTE_USER_OP', 'A second executeUserOp follows the first.');
  }
  if (prefixed && selector === CALIBUR_BEGINS) return readCalibur(inner, sender);
  const decode = accountFunctions.get(selector);
  if (!decode) throw new DecodeError('UNKNOWN_SELECTOR', `The account function ${selector} is not a known execute.`);
  return decode(inner.slice(4), sender);
};

/** The first four bytes. @throws DecodeError if there are fewer */
export const readSelector = (callData: AbiReader): Hex => {
  if (callData.length < 4) throw new DecodeError('UNKNOWN_SELECTOR', 'The callData is too short to name a function.');
  return callData.slice(0, 4).hex();
};
