import type { Address } from '../../shared/schema/hex.ts';
import type { AbiReader } from './abi-reader.ts';
import { DecodeError } from './decode-error.ts';

/** How an account makes a call. Only `call` carries value. */
export type Operation = 'call' | 'delegatecall' | 'staticcall';

/** A call found by an account decoder. Its `data` is still a view of the callData. */
export interface AccountCall {
  target: Address;
  value: bigint;
  data: AbiReader;
  operation: Operation;
}

/** Decodes the arguments (the bytes after the selector) of one account function. @throws DecodeError */
export type AccountDecoder = (args: AbiReader, sender: Address) => AccountCall[];

const OPERATIONS: readonly Operation[] = ['call', 'delegatecall'];

/**
 * Names an operation number of Safe, MultiSend and Kernel v2: 0 is call, 1 is delegatecall.
 * @throws DecodeError for any other number
 */
export const readOperation = (number: number): Operation => {
  const operation = OPERATIONS[number];
  if (operation === undefined) {
    throw new DecodeError('UNKNOWN_EXECUTION_MODE', `Operation ${number} does not exist.`);
  }
  return operation;
};

/** Reads `(address target, uint256 value, bytes data)` from arguments or a tuple. */
export const readCall = (args: AbiReader): AccountCall => ({
  target: args.address(0),
  value: args.uint256(32),
  data: args.bytes(64),
  operation: 'call',
});

/** Reads `(address target, uint256 value, bytes data, uint8 operation)`. The value of a delegatecall is ignored. */
export const readCallWithOperation = (args: AbiReader): AccountCall => {
  const operation = readOperation(args.uint8(96));
  const call = readCall(args);
  return { ...call, operation, value: operation === 'call' ? call.value : 0n };
};

/** Reads the `(address,uint256,bytes)[]` whose offset word is at the start of `args`. */
export const readCallTuples = (args: AbiReader): AccountCall[] => {
  const { count, items } = args.array(0);
  return Array.from({ length: count }, (_, index) => readCall(items.tail(index * 32)));
};

/** Reads `(address[] targets, bytes[] data)`: calls without value. */
export const readTargetsAndData = (args: AbiReader): AccountCall[] => zip(args, 32, undefined);

/**
 * Reads `(address[] targets, uint256[] values, bytes[] data)`. With `emptyValuesAreZero`, an empty `values` means all
 * zeros (SimpleAccount v0.7); otherwise all three must have the same length.
 */
export const readTargetsValuesAndData = (args: AbiReader, emptyValuesAreZero: boolean): AccountCall[] => {
  const values = args.array(32);
  return zip(args, 64, emptyValuesAreZero && values.count === 0 ? undefined : values);
};

const zip = (args: AbiReader, dataPosition: number, values: ReturnType<AbiReader['array']> | undefined) => {
  const targets = args.array(0);
  const data = args.array(dataPosition);
  if (targets.count !== data.count || (values && values.count !== targets.count)) {
    throw new DecodeError('MALFORMED_CALL_DATA', 'The arrays of the batch differ in length.');
  }
  return Array.from({ length: targets.count }, (_, index): AccountCall => ({
    target: targets.items.address(index * 32),
    value: values ? values.items.uint256(index * 32) : 0n,
    data: data.items.bytes(index * 32),
    operation: 'call',
  }));
};
