import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EngineError } from '../../../shared/errors.ts';
import { ruleDefinition } from '../../../api/rules.ts';
import { JsonNumber } from '../../../shared/schema/decimal.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { cycleMs, limitUpdate, thresholdError } from './data.ts';

const HOUR = 3_600_000;

const messageOf = (read: () => unknown): string | undefined => {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
};

test.each([
  [{ value: 1, unit: 'hour' }, HOUR],
  [{ value: 3, unit: 'day' }, 72 * HOUR],
  [{ value: 366, unit: 'day' }, 8784 * HOUR],
] as const)('a cycle of %j lasts %i ms', (cycle, ms) => {
  expect(cycleMs(cycle)).toBe(ms);
});

describe('the cycle in a limit update', () => {
  const read = (cycleDuration: unknown) => parse(limitUpdate, { cycleDuration }).cycleDuration;

  test('every spelling of a cycle is read as that cycle', () => {
    const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n'), maxLength: 4 });
    const cycle = fc.record({ value: fc.integer({ min: 1, max: 366 }), unit: fc.constantFrom('hour', 'day') });
    fc.assert(
      fc.property(cycle, fc.boolean(), space, space, space, ({ value, unit }, plural, before, between, after) => {
        const spelled = `${before}${value}${between}${unit}${plural ? 's' : ''}${after}`;
        const json = `${before}${JSON.stringify({ unit, value })}${after}`;
        for (const form of [spelled, json, { value, unit }]) expect(read(form)).toEqual({ value, unit });
      }),
    );
  });

  test('whatever else is sent is refused with a message that begins with the name of the field', () => {
    const spelled = /^\s*\d{1,6}\s*(hour|day)s?\s*$/;
    const anything = fc
      .oneof(fc.anything(), fc.string(), fc.json())
      .filter((value) => value !== undefined && !(typeof value === 'string' && spelled.test(value)));
    fc.assert(
      fc.property(anything, (value) => {
        expect(messageOf(() => read(value))).toMatch(/^cycleDuration\b/);
      }),
    );
  });

  test('left out, it stays left out; null is not left out', () => {
    expect(parse(limitUpdate, {})).toEqual({});
    expect(messageOf(() => read(null))).toMatch(/^cycleDuration must be \{value, unit\}/);
  });
});

describe('a threshold', () => {
  test.each<[type: 'COUNT' | 'NATIVE_ASSET', threshold: string, error: string | undefined]>([
    ['COUNT', '1', undefined],
    ['COUNT', '999999999999999', undefined],
    ['COUNT', '1000000000000000', 'must be a positive number below 10^15'],
    ['COUNT', '0.5', 'must be a positive integer'],
    ['NATIVE_ASSET', '0.000000000000000001', undefined],
    ['NATIVE_ASSET', '0.0000000000000000001', 'must be a positive number with at most 18 decimals'],
    ['NATIVE_ASSET', '999999999999999.999999999999999999', undefined],
    ['NATIVE_ASSET', '1000000000000000', 'must be a positive number below 10^15'],
  ])('%s %s: %s', (type, threshold, error) => {
    expect(thresholdError(type, threshold)).toBe(error);
  });

  test('of the native coin keeps its digits, down to the wei', () => {
    const wei = fc.bigInt({ min: 1n, max: 10n ** 33n - 1n });
    fc.assert(
      fc.property(wei, (amount) => {
        const digits = amount.toString().padStart(19, '0');
        const source = `${digits.slice(0, -18)}.${digits.slice(-18)}`;
        const { threshold = '' } = parse(limitUpdate, { threshold: new JsonNumber(source) });
        const [whole = '', fraction = ''] = threshold.split('.');
        expect(BigInt(whole + fraction.padEnd(18, '0'))).toBe(amount);
        expect(thresholdError('NATIVE_ASSET', threshold)).toBeUndefined();
      }),
    );
  });

  test.each(['5', 5n, true, null, [], {}, { source: '5' }, Number.NaN, Number.POSITIVE_INFINITY, 0, -1])(
    'is a JSON number above zero, not %s',
    (threshold) => {
      expect(messageOf(() => parse(limitUpdate, { threshold }))).toBe('threshold must be a positive number');
    },
  );
});

test.each([
  [
    {
      name: 'a',
      policyType: 'PAYMASTER_SA_LIMIT',
      policyData: {
        type: 'SMART_ACCOUNT',
        cycleDuration: { value: 1, unit: 'day' },
        threshold: 0.1,
        thresholdType: 'NATIVE_ASSET',
      },
    },
    '0.1',
  ],
  [{ name: 'a', policyType: 'WEBHOOK', policyData: { url: 'https://example.com' } }, undefined],
  [{ name: 'a', policyType: 'WALLET_DEPLOYMENT', policyData: {} }, undefined],
])('a rule as the source interface shows it is read: %j', (rule, threshold) => {
  const expected = threshold === undefined ? rule : { ...rule, policyData: { ...rule.policyData, threshold } };
  expect(parse(ruleDefinition, rule)).toEqual(expected);
});
