import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonNumber, decimalToWei, parseExactJson, positiveDecimal, weiToDecimal } from './decimal.ts';
import { exactPositiveInput, exactPositiveNumber } from './exact-positive.ts';

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

  it.each([
    ['-1', 'must be a positive number'],
    ['Infinity', 'must be a positive number'],
    ['0x10', 'must be a positive number'],
    ['1e308', 'must be a positive number of at most 100 digits'],
    ['1'.repeat(101), 'must be a positive number of at most 100 digits'],
  ])('%s is refused, and what it must be is said', (source, message) => {
    expect(exactPositiveInput.safeParse(source).error?.issues).toMatchObject([{ message }]);
  });

  it('survives the JSON of a request', () => {
    const body = parseExactJson('{"threshold":1.000000000000000001,"n":1.5}') as { threshold: JsonNumber; n: number };
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

describe('JSON is written again with the numbers it was read with', () => {
  /** A number in lowest terms: its digits, and how many of them are decimal places. */
  const meaning = (source: string): [bigint, number] => {
    const [, digits = '', fraction = '', exponent = '0'] =
      /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
    let [value, places] = [BigInt(digits + fraction), fraction.length - Number(exponent)];
    if (value === 0n) return [0n, 0];
    for (; value % 10n === 0n; places -= 1) value /= 10n;
    return [value, places];
  };
  const written = (json: string): string => JSON.stringify(parseExactJson(json));

  it('whatever their length, their exponent and their neighbours', () => {
    const integers = fc.bigInt(-(10n ** 40n), 10n ** 40n).map(String);
    const fractions = fc.stringMatching(/^-?(0|[1-9]\d{0,20})\.\d{1,40}$/);
    const exponents = fc.stringMatching(/^-?[1-9](\.\d{1,20})?[eE][+-]?\d{1,3}$/);
    fc.assert(
      fc.property(fc.oneof(integers, fractions, exponents), fc.constantFrom('', ' ', '\n\t'), (number, space) => {
        for (const [before, after] of [
          ['', ''],
          ['[', ']'],
          ['{"a":"1","b":', '}'],
          ['[7,', ',0.5]'],
        ] as const) {
          const [head, tail] = [before.replaceAll('.', ''), after];
          const again = written(head + space + number + space + tail);
          expect(again.startsWith(head) && again.endsWith(tail)).toBe(true);
          expect(meaning(again.slice(head.length, again.length - tail.length))).toEqual(meaning(number));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('and those that a double holds stay plain numbers, which the rules take', () => {
    const texts = '[1,0,-1.5,1e5,1.0E2,123456789012345,9007199254740991,100000000000000000000,0.1,1152921504606846976]';
    const values = parseExactJson(texts) as unknown[];
    expect(values.slice(0, -1)).toEqual((JSON.parse(texts) as unknown[]).slice(0, -1));
    expect(values.at(-1)).toBeInstanceOf(JsonNumber);
  });

  it('and texts that look like numbers stay texts', () => {
    const json = '{"a":"9007199254740993","b":": 9007199254740993 1e400","9007199254740993":[null,true]}';
    expect(parseExactJson(json)).toEqual(JSON.parse(json));
  });
});
