import fc from 'fast-check';
import { AbiCoder, keccak256 } from 'ethers';
import { describe, expect, it } from 'vitest';
import type { Hex } from '../../shared/schema/hex.ts';
import { addressWord, bytesTail, hashWord, keccak, uint48Word, uintDigits, word } from './hex-digits.ts';

const abi = AbiCoder.defaultAbiCoder();
const bytes = fc.uint8Array({ maxLength: 200 }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);

describe('hex digits', () => {
  it('writes the words the contracts decode, for every value', () => {
    const address = fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
    fc.assert(
      fc.property(
        fc.bigInt(0n, (1n << 256n) - 1n),
        fc.nat(2 ** 31 - 1),
        address,
        bytes,
        (value, seconds, who, data) => {
          const wordsBeforeTail = word(value) + uint48Word(seconds) + addressWord(who) + word(4 * 32);
          expect(`0x${wordsBeforeTail}${bytesTail(data.slice(2))}`).toBe(
            abi.encode(['uint256', 'uint48', 'address', 'bytes'], [value, seconds, who, data]),
          );
          expect(`0x${hashWord(data)}`).toBe(keccak256(data));
        },
      ),
    );
  });

  it('never signs a value cut to its field', () => {
    expect(uintDigits(255, 1)).toBe('ff');
    expect(() => uintDigits(256, 1)).toThrow(RangeError);
    expect(() => uintDigits(-1n, 1)).toThrow(RangeError);
    expect(() => uint48Word(2 ** 48)).toThrow(RangeError);
    expect(() => uint48Word(1.5)).toThrow(RangeError);
  });

  it('never signs the hash of text that is not whole bytes', () => {
    expect(() => keccak('abc')).toThrow(RangeError);
    expect(() => keccak('zz')).toThrow(RangeError);
    expect(() => keccak('ab0xcd')).toThrow(RangeError);
  });
});
