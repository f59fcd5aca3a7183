import { expect, test } from 'vitest';
import { budgetWords } from './budget-words.ts';

test.each([
  [null, '0.03 of 0.05 POL signed unchecked'],
  [new Date(2026, 10, 21, 14, 30).getTime(), '0.03 of 0.05 POL signed unchecked since 21 Nov, 14:30'],
])('a budget is shown with its usage, and since when: %j', (since, words) => {
  const budget = { budgetWei: '50000000000000000', signedWei: '30000000000000000', since };
  expect(budgetWords(budget, 'POL')).toBe(words);
});
