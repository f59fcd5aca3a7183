import { describe, expect, it } from 'vitest';
import { countsAfter, reputationStatus, seenBeforeThrottling, unstakedAllowance } from './reputation.ts';

describe('what a bundler makes of its counts', () => {
  it.each([
    [0, 0, 'good'],
    [59, 0, 'good'],
    [60, 0, 'atRisk'],
    [109, 0, 'atRisk'],
    [110, 0, 'throttled'],
    [509, 0, 'throttled'],
    [510, 0, 'banned'],
    [1_000, 100, 'good'],
    [1_000, 94, 'atRisk'],
    [1_000, 89, 'throttled'],
    [1_000, 49, 'banned'],
  ] as const)('of %i seen and %i included is %s', (seen, included, status) => {
    expect(reputationStatus({ seen, included })).toBe(status);
  });

  it('is throttled only once it has seen as many more as computed', () => {
    for (const counts of [
      { seen: 0, included: 0 },
      { seen: 57, included: 3 },
      { seen: 500, included: 45 },
    ]) {
      const more = seenBeforeThrottling(counts);
      expect(reputationStatus({ ...counts, seen: counts.seen + more - 1 })).toBe('atRisk');
      expect(reputationStatus({ ...counts, seen: counts.seen + more })).toBe('throttled');
    }
    expect(seenBeforeThrottling({ seen: 1_000, included: 0 })).toBe(0);
  });

  it('lets an unstaked paymaster have more at a time, the more were included', () => {
    expect(unstakedAllowance({ seen: 0, included: 0 })).toBe(10);
    expect(unstakedAllowance({ seen: 100, included: 50 })).toBe(10 + 5 + 50);
    expect(unstakedAllowance({ seen: 50_000, included: 50_000 })).toBe(10 + 10 + 10_000);
  });

  it('forgets a part of both counts every hour', () => {
    expect(countsAfter([{ seen: 240, included: 48 }])).toEqual({ seen: 240, included: 48 });
    const quiet = { seen: 0, included: 0 };
    expect(countsAfter([{ seen: 240, included: 48 }, quiet])).toEqual({ seen: 230, included: 46 });
    expect(countsAfter([{ seen: 240, included: 48 }, quiet, { seen: 10, included: 1 }])).toEqual({
      seen: 221 + 10,
      included: 45 + 1,
    });
    // Fewer than a whole part are never forgotten.
    expect(countsAfter([{ seen: 23, included: 0 }, ...Array.from({ length: 100 }, () => quiet)]).seen).toBe(23);
  });
});
