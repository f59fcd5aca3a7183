import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { address, addressKey, hex, isHex, lowerCaseAddress, sameAddress } from './hex.ts';

const digits = (length: fc.Arbitrary<number>): fc.Arbitrary<string> =>
  length.chain((size) =>
    fc
      .array(fc.constantFrom(...Array.from('0123456789abcdefABCDEF')), { minLength: size, maxLength: size })
      .map((characters) => `0x${characters.join('')}`),
  );

describe('hex', () => {
  it('takes every byte string, in lower case: how a client writes bytes makes no difference to anything', () => {
    fc.assert(
      fc.property(digits(fc.nat(50).map((size) => size * 2)), (text) => {
        expect(isHex(text)).toBe(true);
        expect(hex.parse(text)).toBe(text.toLowerCase());
      }),
    );
  });

  it('never takes half a byte for a byte', () => {
    fc.assert(
      fc.property(digits(fc.nat(50).map((size) => size * 2 + 1)), (text) => {
        expect(hex.safeParse(text).success).toBe(false);
      }),
    );
  });

  it.each([undefined, null, 5, '', '00', '0X00', '0xzz', ' 0x00', '0x00\n', '0x0x', ['0x00']])(
    'refuses what is no byte string: %j',
    (value) => {
      expect(hex.safeParse(value).success).toBe(false);
    },
  );
});

describe('address', () => {
  it('is exactly 20 bytes', () => {
    fc.assert(
      fc.property(digits(fc.nat(60)), (text) => {
        expect(address.safeParse(text).success).toBe(text.length === 42);
      }),
    );
    expect(address.safeParse(`0x${'00'.repeat(20)}\n`).success).toBe(false);
  });

  it('is one account, whatever letter case a client writes it in', () => {
    fc.assert(
      fc.property(digits(fc.constant(40)), digits(fc.constant(40)), (left, right) => {
        const [a, b] = [address.parse(left), address.parse(right)];
        const shouted = address.parse(`0x${left.slice(2).toUpperCase()}`);
        expect(lowerCaseAddress.parse(shouted)).toBe(left.toLowerCase());
        expect(sameAddress(a, shouted)).toBe(true);
        expect(addressKey(a)).toBe(addressKey(shouted));
        expect(sameAddress(a, b)).toBe(BigInt(a) === BigInt(b));
      }),
    );
  });
});
