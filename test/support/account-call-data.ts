import { readFileSync } from 'node:fs';
import { AbiCoder, concat, dataLength, id, solidityPacked } from 'ethers';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';

export interface CallDecodingVector {
  id: string;
  entryPoint: string;
  sender: Address;
  callData: Hex;
  outcome: 'decoded' | 'undecodable';
  acceptable?: ('decoded' | 'undecodable')[];
  calls?: { target: Address; value: Hex; data: Hex; operation: 'call' | 'delegatecall' | 'staticcall' }[];
  via?: { target: Address }[];
}

export const callDecodingVectors = JSON.parse(
  readFileSync(new URL('../vectors/call-decoding.json', import.meta.url), 'utf8'),
) as { cases: CallDecodingVector[]; selectors: { selector: string; signature: string }[] };

/** Some account. */
export const SENDER: Address = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
export const TOKEN: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
/** MultiSend 1.4.1. */
export const MULTI_SEND: Address = '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526';
/** MultiSendCallOnly 1.4.1. */
export const CALL_ONLY: Address = '0x9641d764fc13c8b624c04430c7356c1c7c8102e2';
/** Target zero, which some contracts take as the account itself. */
export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';

/** ERC-7579 execution mode of a single call. */
export const SINGLE: Hex = `0x${'00'.repeat(32)}`;
/** ERC-7579 execution mode of a batch. */
export const BATCH: Hex = `0x01${'00'.repeat(31)}`;
/** ERC-7579 execution mode of a staticcall. */
export const STATIC: Hex = `0xfe${'00'.repeat(31)}`;

/** ethers types its hex results as `string`. */
export const hex = (value: string): Hex => value as Hex;

/** ABI-encoded arguments without selector. */
export const encodeArguments = (types: string[], values: unknown[]): Hex =>
  hex(AbiCoder.defaultAbiCoder().encode(types, values));

/** A function call; the types in the signature must equal `types`. */
export const encodeFunction = (signature: string, types: string[], values: unknown[]): Hex =>
  hex(concat([id(signature).slice(0, 10), encodeArguments(types, values)]));

/** SimpleAccount's `execute`. */
export const encodeExecute = (target: Address, value: bigint, data: Hex): Hex =>
  encodeFunction('execute(address,uint256,bytes)', ['address', 'uint256', 'bytes'], [target, value, data]);

/** `execute` of an ERC-7579 account. */
export const encodeExecute7579 = (mode: Hex, execution: string): Hex =>
  encodeFunction('execute(bytes32,bytes)', ['bytes32', 'bytes'], [mode, execution]);

/** `executeUserOp` of Safe4337Module; operation 1 is a delegatecall. */
export const encodeSafe = (target: Address, data: Hex, operation: number): Hex =>
  encodeFunction(
    'executeUserOp(address,uint256,bytes,uint8)',
    ['address', 'uint256', 'bytes', 'uint8'],
    [target, 0, data, operation],
  );

/** One transaction as MultiSend packs it. */
export const packTransaction = (operation: number, target: Address, data: Hex, value = 0n): Hex =>
  hex(
    solidityPacked(
      ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
      [operation, target, value, dataLength(data), data],
    ),
  );

/** `multiSend` of packed transactions. */
export const encodeMultiSend = (...transactions: Hex[]): Hex =>
  encodeFunction('multiSend(bytes)', ['bytes'], [concat(transactions)]);
