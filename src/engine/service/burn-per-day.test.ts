import { expect, it } from 'vitest';
import { burnPerDay } from './burn-per-day.ts';

const HOUR_MS = 3_600_000;

it.each([
  ['nothing', 0n, 0, 0n],
  ['a burst in the first 15 minutes', 1_000n, HOUR_MS / 4, 1_000n],
  ['all of a day', 1_000n, 24 * HOUR_MS, 1_000n],
  ['two days', 1_000n, 48 * HOUR_MS, 500n],
])('a tank is not said to be empty soon after %s', (_what, paidWei, ms, perDay) => {
  expect(burnPerDay(paidWei, ms)).toBe(perDay);
});
