import { expect, test } from 'vitest';
import { durationWords, exactTime, relativeTime } from './time.ts';

test.each([
  [0, 'just now'],
  [59_999, 'just now'],
  [60_000, '1 minute ago'],
  [3_599_999, '59 minutes ago'],
  [7_200_000, '2 hours ago'],
  [86_400_000 * 40, '40 days ago'],
  [-5_000, 'just now'],
])('an age of %i ms reads "%s"', (age, text) => {
  expect(relativeTime(1_700_000_000_000 - age, 1_700_000_000_000)).toBe(text);
});

test('an exact time names its zone', () => {
  expect(exactTime(1_700_000_000_000)).toMatch(/^\d+ Nov 2023, \d\d:\d\d:20 \S+$/);
});

test.each([
  ['1 min', 1],
  ['59 min', 59 * 60_000],
  ['1 h 12 min', 72 * 60_000 - 1],
  ['2 h', 120 * 60_000],
  ['2 days 3 h', 51 * 3_600_000],
])('the rest of a window is shown as %s', (words, ms) => {
  expect(durationWords(ms)).toBe(words);
});
