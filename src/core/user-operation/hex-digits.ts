import { hexToBytes } from '@noble/ciphers/utils.js';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { keccak256 } from './keccak256.ts';

/**
 * Building blocks of byte strings that are hashed or sent to contracts. They are bare hex digits (no `0x`), joined by
 * string concatenation and converted to bytes only once, because this code runs for every signature.
 */

export const digits = (value: Hex): string => value.slice(2);

const ZEROS = '0'.repeat(64);

/** Digits with zeros before them: a part of one string, joined to them, costs less than `padStart`. */
const padded = (value: string, length: number): string => ZEROS.slice(0, length - value.length) + value;

/** An unsigned integer in exactly `byteLength` bytes. @throws RangeError if it does not fit or is not an integer */
export function uintDigits(value: bigint | number, byteLength: number): string {
  const integer = BigInt(value);
  const text = integer.toString(16);
  if (integer < 0n || text.length > byteLength * 2) {
    throw new RangeError(`${integer} does not fit in uint${byteLength * 8}`);
  }
  return padded(text, byteLength * 2);
}

export const word = (value: bigint | number): string => uintDigits(value, 32);

export const uint48Word = (value: number): string => padded(uintDigits(value, 6), 64);

export const addressWord = (value: Address): string => padded(digits(value), 64);

/** An ABI `bytes` value, given as digits: its length, then its bytes padded with zeros to whole words. */
export function bytesTail(value: string): string {
  const length = value.length / 2;
  return word(length) + value.padEnd(wordAligned(length) * 2, '0');
}

/** The number of bytes of a hex string. */
export const byteLength = (value: Hex): number => value.length / 2 - 1;

/** The number of bytes that `length` bytes occupy in whole ABI words. */
export const wordAligned = (length: number): number => Math.ceil(length / 32) * 32;

/** Joined digits as a lower-case hex string. */
export const toHex = (...parts: string[]): Hex => `0x${parts.join('').toLowerCase()}`;

/**
 * Node.js and Electron have `Buffer`, which decodes hex about ten times as fast. It stops at the first character that
 * is not a hex digit.
 */
const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: 'hex'): Uint8Array } };

const toBytes = (text: string): Uint8Array => {
  const bytes = Buffer?.from(text, 'hex');
  if (bytes !== undefined && bytes.length * 2 === text.length) return bytes;
  try {
    return hexToBytes(text);
  } catch (cause) {
    throw new RangeError('cannot hash what is not whole hex bytes', { cause });
  }
};

/** keccak256 of the bytes of the joined digits. @throws RangeError if they are not whole hex bytes */
export function keccak(...parts: string[]): Hex {
  return keccak256(toBytes(parts.join('')));
}

/** Cached, because most operations have no initCode. */
const EMPTY_HASH = digits(keccak(''));
/** Cached, because the callData is hashed twice in a row: for the paymaster's signature and for the userOpHash. */
let last = { value: '0x' as Hex, word: EMPTY_HASH };

/** An ABI word with the keccak256 of a byte string, as operation hashes represent dynamic fields. */
export const hashWord = (value: Hex): string => {
  if (value === '0x') return EMPTY_HASH;
  if (value !== last.value) last = { value, word: digits(keccak(digits(value))) };
  return last.word;
};
