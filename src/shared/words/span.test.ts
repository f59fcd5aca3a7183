import { expect, test } from 'vitest';
import { spanWords } from './span.ts';

test.each([
  [1, '1 second'],
  [61, '61 seconds'],
  [60, '1 minute'],
  [5_400, '90 minutes'],
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [604_800, '7 days'],
])('%i seconds are shown as %s', (seconds, words) => {
  expect(spanWords(seconds)).toBe(words);
});
