import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { quantity, toQuantity, wei } from './quantity.ts';

const uint256 = fc.bigInt(0n, (1n << 256n) - 1n);

describe('quantity', () => {
  it('reads every uint256 exactly, in hex and in decimal', () => {
    fc.assert(
      fc.property(uint256, (value) => {
        expect(quantity.parse(toQuantity(value))).toBe(value);
        expect(quantity.parse(toQuantity(value).toUpperCase().replace('0X', '0x'))).toBe(value);
        expect(quantity.parse(`0x${value.toString(16).padStart(64, '0')}`)).toBe(value);
        expect(quantity.parse(value.toString())).toBe(value);
      }),
    );
  });

  it('reads a JSON number that is exact and refuses one that was rounded', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(quantity.parse(value)).toBe(BigInt(value));
      }),
    );
    expect(quantity.safeParse(Number.MAX_SAFE_INTEGER + 1).success).toBe(false);
  });

  it('refuses what does not fit in 256 bits', () => {
    fc.assert(
      fc.property(fc.bigInt(1n << 256n, 1n << 300n), (value) => {
        expect(quantity.safeParse(value.toString()).success).toBe(false);
        expect(quantity.safeParse(toQuantity(value)).success).toBe(false);
      }),
    );
  });

  it.each([
    null,
    true,
    -1,
    1.5,
    NaN,
    Infinity,
    '',
    '0x',
    '0X1',
    ' 1',
    '1 ',
    '1\n',
    '01',
    '-1',
    '1.0',
    '1e3',
    '1_0',
    [1],
    {},
  ])('refuses what could be read in two ways: %j', (value) => {
    expect(quantity.safeParse(value).success).toBe(false);
  });

  it('does not take a missing gas field for zero', () => {
    expect(z.strictObject({ callGasLimit: quantity }).safeParse({}).success).toBe(false);
  });
});

describe('toQuantity', () => {
  it('writes JSON-RPC quantities: no leading zeros', () => {
    expect(toQuantity(0n)).toBe('0x0');
    fc.assert(
      fc.property(fc.bigInt(1n, 1n << 256n), (value) => {
        expect(toQuantity(value)).toMatch(/^0x[1-9a-f][0-9a-f]*$/);
      }),
    );
  });
});

describe('wei', () => {
  it('keeps money to the last wei from database to code and back', () => {
    fc.assert(
      fc.property(uint256, (value) => {
        expect(wei.parse(value.toString())).toBe(value);
      }),
    );
  });

  it.each([1, 1n, '', '01', '-1', '1.5', '0x1', '1e18', ' 1', '1\n', '9'.repeat(79)])(
    'refuses an amount that is not a plain decimal string: %s',
    (value) => {
      expect(wei.safeParse(value).success).toBe(false);
    },
  );
});
