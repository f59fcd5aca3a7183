import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JsonNumber,
  decimalToWei,
  exactPositiveNumber,
  parseJsonKeeping,
  positiveDecimal,
  weiToDecimal,
} from './decimal.ts';

describe('a threshold is kept by its digits', () => {
  it.each([
    ['0.1', '0.1'],
    ['1.000000000000000001', '1.000000000000000001'],
    ['1e-18', '0.000000000000000001'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['123.4500', '123.45'],
    ['12e2', '1200'],
    ['1.5E+1', '15'],
    ['12345.678e-3', '12.345678'],
    ['10', '10'],
    ['0.010', '0.01'],
  ])('%s is %s', (source, digits) => {
    expect(positiveDecimal(source)).toBe(digits);
  });

  it.each(['0', '-1', '0.0', '0e5', 'NaN', 'Infinity', '1e999', '1e99999', '', '0x10', '1'.repeat(200)])(
    '%s is refused',
    (source) => {
      expect(positiveDecimal(source)).toBeUndefined();
    },
  );

  it('survives the JSON of a request', () => {
    const body = parseJsonKeeping('{"threshold":1.000000000000000001,"n":1.5}', new Set(['threshold'])) as {
      threshold: JsonNumber;
      n: number;
    };
    expect(exactPositiveNumber.parse(body.threshold)).toBe('1.000000000000000001');
    expect(body.n).toBe(1.5);
  });

  it('wei and decimal amounts convert without loss', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 1n << 200n), (wei) => {
        expect(decimalToWei(weiToDecimal(wei))).toBe(wei);
      }),
    );
    expect(() => decimalToWei('0.0000000000000000001')).toThrow(RangeError);
  });
});
