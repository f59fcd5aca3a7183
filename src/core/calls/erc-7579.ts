import type { AbiReader } from './abi-reader.ts';
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

/**
 * Mode selectors that do not change the encoding: the default, and ERC-7821's batch with optional opData after the
 * calls. ERC-7821's batch of batches (0x78210002) is refused: accounts that ignore the selector, such as Kernel v3,
 * would decode the same bytes into different calls.
 */
const MODE_SELECTORS: readonly string[] = ['00000000', '78210001'];

const execute: AccountDecoder = (args) => {
  // mode: call type (1 byte), exec type (1), unused (4), mode selector (4), payload (22)
  const mode = args.slice(0, 32).hex().slice(2);
  const read = CALL_TYPES[mode.slice(0, 2)];
  if (!read || !EXEC_TYPES.includes(mode.slice(2, 4)) || !MODE_SELECTORS.includes(mode.slice(12, 20))) {
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
