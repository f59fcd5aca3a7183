import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { PackedUserOperation } from '../../shared/schema/user-operation.ts';
import { addressWord, byteLength, digits, hashWord, keccak, word } from './hex-digits.ts';

/** Where an operation is to run: its hash is valid for one EntryPoint on one chain only. */
export interface UserOpHashDomain {
  chainId: number;
  entryPoint: Address;
  /** The address after 0xef0100 in the sender's code; from v0.8 on required if `isEip7702`, otherwise not read. */
  delegate?: Address;
}

const EIP7702_MARKER = '7702'.padEnd(40, '0');

/**
 * True if EntryPoint v0.8 takes the initCode as that of an EIP-7702 account: it begins with 0x7702 and zeros up to
 * 20 bytes, or is shorter and equals that marker once filled up with zeros.
 */
export const isEip7702 = (initCode: Hex): boolean =>
  byteLength(initCode) >= 2 && digits(initCode).slice(0, 40).padEnd(40, '0') === EIP7702_MARKER;

/** keccak256(abi.encode(inner, entryPoint, chainId)), the outer hash of EntryPoint v0.6 and v0.7. */
export const bindToEntryPoint = (inner: Hex, { entryPoint, chainId }: UserOpHashDomain): Hex =>
  keccak(digits(inner), addressWord(entryPoint), word(chainId));

/** The words v0.7 and v0.8 hash; they differ only in what represents the initCode. */
export const packedWords = (op: PackedUserOperation, initCodeHash: string): string[] => [
  addressWord(op.sender),
  word(op.nonce),
  initCodeHash,
  hashWord(op.callData),
  digits(op.accountGasLimits),
  word(op.preVerificationGas),
  digits(op.gasFees),
  hashWord(op.paymasterAndData),
];
