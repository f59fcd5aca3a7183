import { expect, test } from 'vitest';
import type { LimitWords } from '../../../../core/rules/spending-limit/index.ts';
import { emptyLimit, isBelow, limitForm, measuresOf, restartSentence, typedLimit } from './limit-form.ts';

const typed = { ...emptyLimit(), threshold: ' 5 ' };
const perDay = { value: 1, unit: 'day' } as const;
const kept: LimitWords = { type: 'PAYMASTER', thresholdType: 'USD', threshold: '20', cycleDuration: perDay };

test('a limit of users has a window', () => {
  expect(typedLimit(typed)).toEqual({
    type: 'SMART_ACCOUNT',
    thresholdType: 'COUNT',
    threshold: '5',
    cycleDuration: perDay,
  });
});

test('a lifetime has no length, whatever its field holds', () => {
  const cycleDuration = { value: null, unit: 'lifetime' } as const;
  expect(typedLimit({ ...typed, cycleDuration })?.cycleDuration).toEqual({ value: 1, unit: 'lifetime' });
});

test('a limit of each operation has no window, and counts no operations', () => {
  const each = { ...typed, type: 'OPERATION' } as const;
  expect(measuresOf('OPERATION')).toEqual(['NATIVE_ASSET', 'USD']);
  expect(typedLimit(each)).toBeUndefined();
  expect(typedLimit({ ...each, thresholdType: 'USD' })).toEqual({
    type: 'OPERATION',
    thresholdType: 'USD',
    threshold: '5',
  });
});

test.each([
  { value: null, unit: 'day' },
  { value: 53, unit: 'week' },
  { value: 367, unit: 'day' },
] as const)('a window of %o cannot be set', (cycleDuration) => {
  expect(typedLimit({ ...typed, cycleDuration })).toBeUndefined();
});

test('a limit that is kept is edited as it is', () => {
  expect(typedLimit(limitForm(kept))).toEqual(kept);
  const each: LimitWords = { type: 'OPERATION', thresholdType: 'NATIVE_ASSET', threshold: '0.01' };
  expect(typedLimit(limitForm(each))).toEqual(each);
});

test('before a limit is saved, it is said what becomes of what was used', () => {
  expect(restartSentence(kept)).toBe('A change of anything but the name starts a new window without usage.');
  expect(restartSentence({ ...kept, cycleDuration: { value: 1, unit: 'lifetime' } })).toBe(
    'Past usage still counts, unless you change the measure or the window.',
  );
  expect(restartSentence({ ...kept, type: 'OPERATION', cycleDuration: undefined })).toBe('');
});

test.each<[Partial<LimitWords>, string, boolean]>([
  [{ thresholdType: 'NATIVE_ASSET', threshold: '0.0019' }, '', true],
  [{ thresholdType: 'NATIVE_ASSET', threshold: '0.002' }, '', false],
  [{ thresholdType: 'USD', threshold: '5.99' }, '3000', true],
  [{ thresholdType: 'USD', threshold: '6' }, '3000', false],
  [{ thresholdType: 'USD', threshold: '1' }, '', false],
  [{ thresholdType: 'COUNT', threshold: '1' }, '3000', false],
])('a limit of %j, the coin at "%s" dollars, is below an operation of 0.002: %s', (words, usd, below) => {
  expect(isBelow({ ...kept, ...words }, 2n * 10n ** 15n, usd)).toBe(below);
});
