import { afterEach, expect, test, vi } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { systemClock, systemEntropy } from './clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

const DAY_MS = 86_400_000;

test('a timer further away than setTimeout can count does not run at once', () => {
  vi.useFakeTimers();
  const ran = vi.fn<() => void>();
  systemClock.setTimer(366 * DAY_MS, ran);
  vi.advanceTimersByTime(366 * DAY_MS - 1);
  expect(ran).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ran).toHaveBeenCalledOnce();
});

test('a cancelled timer never runs, also when it is on its second leg', () => {
  vi.useFakeTimers();
  const ran = vi.fn<() => void>();
  const cancel = systemClock.setTimer(60 * DAY_MS, ran);
  vi.advanceTimersByTime(40 * DAY_MS);
  cancel();
  vi.advanceTimersByTime(400 * DAY_MS);
  expect(ran).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('the system clock tells the wall time and measures durations forwards', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
  const start = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(start);
});

test('random ids and bytes do not repeat', () => {
  expect(systemEntropy.bytes(32)).toHaveLength(32);
  expect(systemEntropy.bytes(32)).not.toEqual(systemEntropy.bytes(32));
  expect(systemEntropy.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(systemEntropy.uuid()).not.toBe(systemEntropy.uuid());
});

test('the manual clock runs timers in order of time, each at its own time, and lets what they started finish', async () => {
  const clock = new ManualClock(1_000);
  const seen: string[] = [];
  clock.setTimer(30, () => seen.push(`late ${clock.now()}`));
  clock.setTimer(10, () => {
    void Promise.resolve().then(() => clock.setTimer(5, () => seen.push(`chained ${clock.now()}`)));
  });
  const cancel = clock.setTimer(20, () => seen.push('cancelled'));
  cancel();
  await clock.advance(29);
  expect(seen).toEqual(['chained 1015']);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  expect(seen).toEqual(['chained 1015', 'late 1030']);
  expect([clock.now(), clock.monotonic(), clock.pending]).toEqual([1_030, 30, 0]);
});
