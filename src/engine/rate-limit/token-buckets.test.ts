import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { createTokenBuckets } from './token-buckets.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

test('a minute of requests may come at once, and not one more', () => {
  const buckets = createTokenBuckets(() => 5, clock);
  const waits = Array.from({ length: 7 }, () => buckets.take('a'));
  expect(waits).toEqual([0, 0, 0, 0, 0, 12_000, 12_000]);
  expect(buckets.take('b')).toBe(0);
});

test('a client that waits as long as announced is let through; a moment earlier it is not', async () => {
  const buckets = createTokenBuckets(() => 7, clock);
  for (let n = 0; n < 7; n += 1) buckets.take('a');
  const wait = buckets.take('a');
  await clock.advance(wait - 1);
  expect(buckets.take('a')).toBe(1);
  await clock.advance(1);
  expect(buckets.take('a')).toBe(0);
});

test('no pattern of requests gets more through than the first minute and the time since', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.nat(20_000), { maxLength: 200 }),
      async (rate, gaps) => {
        const own = new ManualClock();
        const buckets = createTokenBuckets(() => rate, own);
        let granted = 0;
        for (const gap of gaps) {
          await own.advance(gap);
          if (buckets.take('a') === 0) granted += 1;
        }
        expect(granted).toBeLessThanOrEqual(rate + (own.monotonic() * rate) / 60_000 + 1e-6);
      },
    ),
    { numRuns: 30 },
  );
});

test('no client is kept in memory for longer than a minute, nor is a flood of names', async () => {
  const buckets = createTokenBuckets(() => 10, clock);
  for (let n = 0; n < 150_000; n += 1) buckets.take(String(n));
  expect(buckets.size).toBe(100_000);
  await clock.advance(60_000);
  buckets.take('a');
  expect(buckets.size).toBe(1);
});

test('a flood of names gives no client a new minute that asks meanwhile', () => {
  const buckets = createTokenBuckets(() => 1, clock);
  const flood = (from: number): void => {
    for (let n = from; n < from + 60_000; n += 1) buckets.take(String(n));
  };
  expect(buckets.take('a')).toBe(0);
  flood(0);
  expect(buckets.take('a')).toBe(60_000);
  flood(60_000);
  expect(buckets.take('a')).toBe(60_000);
});

test('without a limit nothing is counted', () => {
  const buckets = createTokenBuckets(() => 0, clock);
  for (let n = 0; n < 1000; n += 1) expect(buckets.take('a')).toBe(0);
  expect(buckets.size).toBe(0);
});

test('a changed limit applies from the next request on', () => {
  let perMinute = 0;
  const buckets = createTokenBuckets(() => perMinute, new ManualClock());
  expect(buckets.take('a')).toBe(0);
  perMinute = 2;
  expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 0]);
  expect(buckets.take('a')).toBe(30_000);
  perMinute = 0;
  expect(buckets.take('a')).toBe(0);
});

test('a changed limit restarts its count', () => {
  let limit = 1;
  const buckets = createTokenBuckets(() => limit, clock);
  const take = () => buckets.take('a') === 0;
  expect([take(), take()]).toEqual([true, false]);
  limit = 2;
  expect([take(), take(), take()]).toEqual([true, true, false]);
  limit = 1;
  expect([take(), take()]).toEqual([true, false]);
});
