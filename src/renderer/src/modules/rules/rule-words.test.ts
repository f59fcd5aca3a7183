import { expect, test } from 'vitest';
import { type LimitWords, limitSentence, thresholdNumber, typedThresholdFault } from './rule-words.ts';

const limit: LimitWords = {
  type: 'SMART_ACCOUNT',
  cycleDuration: { value: 2, unit: 'hour' },
  threshold: '5',
  thresholdType: 'COUNT',
};

test.each<[string, Partial<LimitWords>]>([
  ['Each user may have 5 operations sponsored per 2 hours.', {}],
  ['Each user may have 1 operation sponsored per day.', { threshold: '1', cycleDuration: { value: 1, unit: 'day' } }],
  [
    'All users together may have gas for 0.05 ETH sponsored per 2 hours.',
    { type: 'PAYMASTER', thresholdType: 'NATIVE_ASSET', threshold: '0.05' },
  ],
])('the operator reads what a limit will do: %s', (sentence, rest) => {
  expect(limitSentence({ ...limit, ...rest }, 'ETH')).toBe(sentence);
});

test.each([
  ['', 'COUNT'],
  ['0', 'COUNT'],
  ['0.0', 'NATIVE_ASSET'],
  ['1.5', 'COUNT'],
  ['1e3', 'COUNT'],
  ['-1', 'NATIVE_ASSET'],
  ['1,5', 'NATIVE_ASSET'],
  ['1.2.3', 'NATIVE_ASSET'],
  ['1.000000000000000001', 'NATIVE_ASSET'],
] as const)('%j is refused as a threshold of type %s', (typed, type) => {
  expect(typedThresholdFault(typed, type)).toEqual(expect.any(String));
});

test('an amount of eighteen decimals is taken as it is', () => {
  expect(thresholdNumber('0.05')).toBe(0.05);
  expect(typedThresholdFault('0.000000000000000001', 'NATIVE_ASSET')).toBeUndefined();
});
