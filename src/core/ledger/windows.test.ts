import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowAt, windowsWithin } from './windows.ts';

const START = Date.UTC(2026, 0, 1, 0, 0, 0, 1);
const HOUR = 3_600_000;
const limit = (durationInMs: number, startTimeInEpoch = START) => ({
  type: 'PAYMASTER' as const,
  cycleDuration: { value: 1, unit: 'hour' as const },
  threshold: '1',
  thresholdType: 'COUNT' as const,
  startTimeInEpoch,
  durationInMs,
});

test.each([
  [0, 0],
  [HOUR - 1, 0],
  [HOUR, 1],
  [2 * HOUR - 1, 1],
  [1_000_000 * HOUR, 1_000_000],
  [-1, 0],
  [-1_000_000 * HOUR, 0],
])('%i ms after its start a limit of an hour is in window %i', (after, index) => {
  expect(windowAt(limit(HOUR), START + after)).toEqual({ index, endsAt: START + (index + 1) * HOUR });
});

test('windows follow each other without a gap: a moment is in exactly one, which ends after it', () => {
  const hours = fc.integer({ min: 1, max: 366 * 24 });
  fc.assert(
    fc.property(hours, fc.nat(4e12), fc.nat(1e12), (length, start, after) => {
      const now = start + after;
      const { index, endsAt } = windowAt(limit(length * HOUR, start), now);
      if (endsAt === null) throw new Error('It has no end');
      expect(endsAt).toBeGreaterThan(now);
      expect(endsAt - length * HOUR).toBeLessThanOrEqual(now);
      expect(windowAt(limit(length * HOUR, start), endsAt).index).toBe(index + 1);
    }),
  );
});

test('a time has parts of so many windows at most, and just before a window ends it begins to have them', () => {
  const some = fc.record({
    cycle: fc.integer({ min: 1, max: 100 }),
    period: fc.integer({ min: 1, max: 48 }),
    from: fc.integer({ min: 0, max: 1_000 * HOUR }),
  });
  fc.assert(
    fc.property(some, ({ cycle, period, from }) => {
      const one = limit(cycle * HOUR);
      const touched = (start: number): number =>
        windowAt(one, start + period * HOUR - 1).index - windowAt(one, start).index + 1;
      const most = windowsWithin(period * HOUR, one.durationInMs);
      expect(touched(START + from)).toBeLessThanOrEqual(most);
      expect(touched((windowAt(one, START + from).endsAt ?? 0) - 1)).toBe(most);
    }),
  );
});
