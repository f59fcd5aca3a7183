import { expect, test } from 'vitest';
import { budgetText, typedBudget, unreachableSentence } from './unreachable-form.ts';

const unreachable = { budgetWei: '50000000000000000', signedWei: '30000000000000000', since: null };

test('what is set is shown as it was typed, and typed again it is the same', () => {
  expect(budgetText({ unreachable })).toBe('0.05');
  expect(typedBudget('0.05')).toEqual({ budgetWei: unreachable.budgetWei });
  expect([budgetText({ unreachable: null }), typedBudget('')]).toEqual(['', null]);
});

test.each(['0', '-1', '1,5', '0.0000000000000000001', 'much'])('%s is no budget', (text) => {
  expect(typedBudget(text)).toBeUndefined();
  expect(unreachableSentence(text, 'ETH')).toBe('Enter an amount above 0, or nothing.');
});

test('the consequence names amount and coin', () => {
  expect(unreachableSentence('0.050', 'POL')).toContain('cost you up to 0.05 POL in any hour');
  expect(unreachableSentence('', 'POL')).toBe('While the node does not answer, nothing is signed.');
});
