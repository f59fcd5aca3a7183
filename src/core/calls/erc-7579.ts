import { MAX_CALLS, type AbiReader } from './abi-reader.ts';
import type { AccountCall, AccountDecoder, Operation } from './account-call.ts';
import { readCallTuples } from './account-call.ts';
import { DecodeError } from './decode-error.ts';

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

/** `abi.encodePacked(address target, uint256 value, bytes data)`. */
const readSingle = (execution: AbiReader, operation: Operation): AccountCall[] => {
  requireLength(execution, 52);
  const value = operation === 'call' ? execution.uint256(20) : 0n;
  return [{ target: execution.packedAddress(0), value, data: execution.slice(52), operation }];
};

/** `abi.encodePacked(address target, bytes data)`. */
const readDelegatecall = (execution: AbiReader): AccountCall[] => {
  requireLength(execution, 20);
  return [{ target: execution.packedAddress(0), value: 0n, data: execution.slice(20), operation: 'delegatecall' }];
};

// A single call that is too short is a mistake and hides no other call, unlike a batch. So the length is checked here.
const requireLength = (execution: AbiReader, atLeast: number): void => {
  if (execution.length >= atLeast) return;
  throw new DecodeError('MALFORMED_CALL_DATA', `The execution data is shorter than its ${atLeast} fixed bytes.`);
};

/** Readers of the execution data by ERC-7579 call type, which is the first byte of the mode. */
const CALL_TYPES: Readonly<Record<string, (execution: AbiReader) => AccountCall[]>> = {
  '00': (execution) => readSingle(execution, 'call'),
  '01': readCallTuples,
  fe: (execution) => readSingle(execution, 'staticcall'),
  ff: readDelegatecall,
};

/** Default (revert on failure) and try (continue on failure): both make the same calls. */
const EXEC_TYPES: readonly string[] = ['00', '01'];

/** Mode selectors that do not change the encoding: the default, and ERC-7821's batch with optional data after the calls. */
const MODE_SELECTORS: readonly string[] = ['00000000', '78210001'];

/** Call type, exec type and mode selector of ERC-7821's batch of batches. */
const BATCH_OF_BATCHES = { types: '0100', selector: '78210002' };

/**
 * ERC-7821's `(bytes[] batches)`, each encoded like a single batch. Accounts that ignore the mode selector, such as
 * Kernel v3, read the same bytes as one batch of calls, so at least one of these must be impossible to read.
 */
const readBatches = (execution: AbiReader): AccountCall[] => {
  const { count, items } = execution.array(0);
  const positions = Array.from({ length: count }, (_, index) => index * 32);
  if (count > 0 && !positions.some((position) => isUnreadableCall(items.tail(position)))) {
    throw new DecodeError('UNKNOWN_EXECUTION_MODE', 'Some accounts read the batches as calls with another meaning.');
  }
  const calls: AccountCall[] = [];
  for (const position of positions) {
    calls.push(...readCallTuples(items.bytes(position)));
    if (calls.length > MAX_CALLS) throw new DecodeError('TOO_MANY_CALLS', `There are over ${MAX_CALLS} calls.`);
  }
  return calls;
};

/** True if every account rejects `(address target, uint256 value, bytes data)` here, since data would be too long. */
const isUnreadableCall = (tuple: AbiReader): boolean => !tuple.isSize(tuple.size(64));

/** The reader of the execution data for a mode: call type (1 byte), exec type (1), unused (4), selector (4), payload (22). */
const readerFor = (mode: string): ((execution: AbiReader) => AccountCall[]) | undefined => {
  const [callType, execType, selector] = [mode.slice(0, 2), mode.slice(2, 4), mode.slice(12, 20)];
  if (callType + execType === BATCH_OF_BATCHES.types && selector === BATCH_OF_BATCHES.selector) return readBatches;
  return EXEC_TYPES.includes(execType) && MODE_SELECTORS.includes(selector) ? CALL_TYPES[callType] : undefined;
};

const execute: AccountDecoder = (args) => {
  const mode = args.slice(0, 32).hex().slice(2);
  const read = readerFor(mode);
  if (read === undefined) {
    throw new DecodeError('UNKNOWN_EXECUTION_MODE', `The execution mode 0x${mode} has no known single meaning.`);
  }
  const calls = read(args.bytes(32));
  // Without data, a call only transfers its value, whatever address zero means to the account.
  if (calls.some(({ target, data }) => target === ZERO_ADDRESS && data.length > 0)) {
    throw new DecodeError(
      'AMBIGUOUS_TARGET',
      'A call goes to address zero, which some accounts take as the account itself.',
    );
  }
  return calls;
};

/** The execute function of ERC-7579 accounts (Kernel v3, Nexus, Safe7579) and ERC-7821 executors, by selector. */
export const erc7579: Readonly<Record<string, AccountDecoder>> = {
  // execute(bytes32,bytes)
  '0xe9ae5c53': execute,
};
