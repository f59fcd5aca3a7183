import { expect, test } from 'vitest';
import { type LimitWords, limitSentence } from '../../../../core/rules/spending-limit/index.ts';
import { typedThresholdError } from './rule-words.ts';
import { usageSentence } from './usage-words.ts';

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
  ['1.0000000000000000001', 'NATIVE_ASSET'],
] as const)('%j is refused as a threshold of type %s', (typed, type) => {
  expect(typedThresholdError(typed, type)).toEqual(expect.any(String));
});

test('a number of operations is whole, in words for a form', () => {
  expect(typedThresholdError('1.5', 'COUNT')).toBe('Enter a whole number above 0.');
});

test('an amount of eighteen decimals is taken as it is', () => {
  expect(typedThresholdError('123456789012345.123456789012345678', 'NATIVE_ASSET')).toBeUndefined();
  expect(typedThresholdError('0.000000000000000001', 'NATIVE_ASSET')).toBeUndefined();
});

const usage = {
  ruleId: 'r',
  name: 'Five a day',
  active: true,
  unit: 'operations',
  threshold: '5',
  used: '5',
  windowEndsAt: 0,
  perUser: null,
} as const;
test.each([
  ['5 of 5 operations used.', usage],
  [
    '0.3 ETH of 1 ETH used.',
    { ...usage, unit: 'wei' as const, threshold: '1000000000000000000', used: '300000000000000000' },
  ],
  ['Not used in this window.', { ...usage, used: '0', perUser: { users: 0, atLimit: 0, nearest: [] } }],
  [
    '41 users in this window; the busiest has used 5 of 5 operations, 3 are at the limit.',
    { ...usage, perUser: { users: 41, atLimit: 3, nearest: [{ user: `0x${'ab'.repeat(20)}`, used: '5' }] } },
  ],
  [
    '1 person in this window; the busiest has used 5 of 5 operations, 1 is at the limit.',
    { ...usage, perUser: { users: 1, atLimit: 1, nearest: [{ user: 'cd'.repeat(32), used: '5' }] } },
  ],
  [
    '$1.50 of $20 used.',
    { ...usage, unit: 'usd' as const, threshold: `20${'0'.repeat(18)}`, used: `15${'0'.repeat(17)}` },
  ],
  ['Not used yet.', { ...usage, used: '0', windowEndsAt: null, perUser: { users: 0, atLimit: 0, nearest: [] } }],
])('the operator reads how much of a limit is used: %s', (sentence, read) => {
  expect(usageSentence(read, 'ETH')).toBe(sentence);
});

test('a limit in the coin is also shown in dollars, if the price is known', () => {
  const read = { ...usage, unit: 'wei' as const, threshold: '1000000000000000000', used: '300000000000000000' };
  expect(usageSentence(read, 'ETH', '3000')).toBe('0.3 ETH ($900) of 1 ETH ($3,000) used.');
});
