import { expect, test } from 'vitest';
import { breakerForm, breakerSentence, breakerWords, typedBreaker } from './breaker-form.ts';

test.each([
  [
    { amountWei: '500000000000000000', seconds: 3_600 },
    { kind: 'amount', amount: '0.5', count: 1, unit: 3_600 },
  ],
  [
    { amountWei: '1', seconds: 5_400 },
    { kind: 'amount', amount: '0.000000000000000001', count: 90, unit: 60 },
  ],
  [
    { amountWei: '2000000000000000000', seconds: 604_800 },
    { kind: 'amount', amount: '2', count: 7, unit: 86_400 },
  ],
  [null, { kind: 'off', amount: '', count: 1, unit: 3_600 }],
  ['default', { kind: 'default', amount: '', count: 1, unit: 3_600 }],
] as const)('what is set is shown as it was typed, and typed again it is the same: %j', (breaker, form) => {
  expect(breakerForm(breaker)).toEqual(form);
  expect(typedBreaker(form)).toEqual(breaker);
});

test.each(['', '0', '-1', '1,5', '0.0000000000000000001', 'much'])('%s is no amount', (amount) => {
  expect(typedBreaker({ kind: 'amount', amount, count: 1, unit: 3_600 })).toBeUndefined();
});

test.each([
  [0, 60],
  [8, 86_400],
  [null, 60],
])('%j times %i seconds is no time', (count, unit) => {
  expect(typedBreaker({ kind: 'amount', amount: '1', count, unit })).toBeUndefined();
});

test('the consequence names amount, coin and time', () => {
  const breaker = { amountWei: '500000000000000000', seconds: 60 };
  const chain = { breaker, breakerAmountWei: breaker.amountWei, symbol: 'POL' };
  expect(breakerSentence({ kind: 'amount', amount: '0.50', count: 2, unit: 3_600 }, chain)).toContain(
    'more than 0.5 POL within 2 hours',
  );
  expect(breakerWords(chain)).toBe('0.5 POL in 1 minute');
});

test('the default says what it comes to now, where that is known', () => {
  const chain = { breaker: 'default', breakerAmountWei: '2500000000000000000', symbol: 'ETH' } as const;
  expect(breakerSentence(breakerForm('default'), chain)).toMatch(
    /^Per hour, a quarter of .* Now that is 2\.5 ETH\. Beyond it,/,
  );
  expect(breakerWords(chain)).toBe('Default: now 2.5 ETH in 1 hour');
  const unknown = { ...chain, breakerAmountWei: null };
  expect(breakerSentence(breakerForm('default'), unknown)).not.toContain('Now');
  expect(breakerWords(unknown)).toBe('Default');
});
