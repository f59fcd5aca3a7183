import { expect, test } from 'vitest';
import { lowTank } from './words.ts';

test.each([
  [null, 'It is below its low-balance threshold.'],
  ['0', 'It covers no further operation at the maximum cost of the last one.'],
  ['1', 'It covers 1 more operation at the maximum cost of the last one.'],
  ['12', 'It covers 12 more operations at the maximum cost of the last one.'],
])('of a low tank that covers %s operations it is said: %s', (operationsLeft, body) => {
  expect(lowTank('Game', { operationsLeft })).toEqual({ title: 'The gas tank of Game is low', body });
});
