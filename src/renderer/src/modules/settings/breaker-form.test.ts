import { expect, test } from 'vitest';
import { breakerForm, breakerSentence, breakerWords, typedBreaker } from './breaker-form.ts';

test.each([
  [
    { amountWei: '500000000000000000', seconds: 3_600 },
    { amount: '0.5', count: 1, unit: 3_600 },
  ],
  [
    { amountWei: '1', seconds: 5_400 },
    { amount: '0.000000000000000001', count: 90, unit: 60 },
  ],
  [
    { amountWei: '2000000000000000000', seconds: 604_800 },
    { amount: '2', count: 7, unit: 86_400 },
  ],
  [null, { amount: '', count: 1, unit: 3_600 }],
])('what is set is shown as it was typed, and typed again it is the same: %j', (breaker, form) => {
  expect(breakerForm(breaker)).toEqual(form);
  expect(typedBreaker(form)).toEqual(breaker);
});

test.each(['0', '-1', '1,5', '0.0000000000000000001', 'much'])('%s is no amount', (amount) => {
  expect(typedBreaker({ amount, count: 1, unit: 3_600 })).toBeUndefined();
});

test.each([
  [0, 60],
  [8, 86_400],
  [null, 60],
])('%j times %i seconds is no time', (count, unit) => {
  expect(typedBreaker({ amount: '1', count, unit })).toBeUndefined();
});

test('the consequence names amount, coin and time', () => {
  expect(breakerSentence({ amount: '0.50', count: 2, unit: 3_600 }, 'POL')).toContain(
    'more than 0.5 POL within 2 hours',
  );
  expect(breakerWords({ breaker: { amountWei: '500000000000000000', seconds: 60 }, symbol: 'POL' })).toBe(
    '0.5 POL in 1 minute',
  );
});
