import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { PackedUserOperation } from '../../shared/schema/user-operation.ts';
import { addressWord, byteLength, digits, hashWord, keccak, word } from './hex-digits.ts';

/** The EntryPoint and chain of an operation. Its hash is valid only there. */
export interface UserOpHashDomain {
  chainId: number;
  entryPoint: Address;
  /**
   * The account's delegate: the address after 0xef0100 in its code. From v0.8 on, required if `isEip7702`; otherwise
   * ignored.
   */
  delegate?: Address;
}

const EIP7702_MARKER = '7702'.padEnd(40, '0');

/**
 * True if EntryPoint v0.8 treats the initCode as that of an EIP-7702 account: its first 20 bytes are 0x7702 and zeros.
 * A shorter initCode counts as padded with zeros.
 */
export const isEip7702 = (initCode: Hex): boolean =>
  byteLength(initCode) >= 2 && digits(initCode).slice(0, 40).padEnd(40, '0') === EIP7702_MARKER;

/** keccak256(abi.encode(inner, entryPoint, chainId)), the outer hash of EntryPoint v0.6 and v0.7. */
export const bindToEntryPoint = (inner: Hex, { entryPoint, chainId }: UserOpHashDomain): Hex =>
  keccak(digits(inner), addressWord(entryPoint), word(chainId));

/** The words that v0.7 and v0.8 hash. The two versions differ only in what represents the initCode. */
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
