import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BaseFeeSighting,
  type HourlyTip,
  TIP_HOURS,
  believeBaseFee,
  believedTip,
  withTip,
} from './believed-fees.ts';

const GWEI = 10n ** 9n;
const HOUR_MS = 3_600_000;
const seen = (block: number, baseFeeWei: bigint, at = block * 12_000): BaseFeeSighting => ({ block, baseFeeWei, at });

describe('the base fee that is believed', () => {
  it('is the first reading', () => {
    expect(believeBaseFee(undefined, seen(100, 30n * GWEI))).toEqual(seen(100, 30n * GWEI));
  });

  it('is a thousandth of a reading that is a thousand times the last, for as long as no block has passed', () => {
    const believed = believeBaseFee(seen(100, GWEI), { block: 100, baseFeeWei: 1_000n * GWEI, at: 1_300_000 });
    expect(believed.baseFeeWei).toBe(GWEI);
  });

  it('rises by an eighth a block, exactly as EIP-1559 rounds', () => {
    expect(believeBaseFee(seen(100, 1_001n), seen(102, 10_000n)).baseFeeWei).toBe(1_126n + 140n);
    expect(believeBaseFee(seen(100, 7n), seen(101, 10_000n)).baseFeeWei).toBe(8n);
  });

  it('doubles with the chain within a minute of full blocks', () => {
    const believed = Array.from({ length: 6 }).reduce<BaseFeeSighting>(
      (last, _, block) => {
        const next = believeBaseFee(last, seen(101 + block, last.baseFeeWei + last.baseFeeWei / 8n));
        expect(next.baseFeeWei).toBe(last.baseFeeWei + last.baseFeeWei / 8n);
        return next;
      },
      seen(100, 30n * GWEI),
    );
    expect(believed.baseFeeWei).toBeGreaterThan(60n * GWEI);
  });

  it('falls at once', () => {
    expect(believeBaseFee(seen(100, 500n * GWEI), seen(101, GWEI)).baseFeeWei).toBe(GWEI);
  });

  it('counts no more blocks than fit into the time, so that numbers that jump make no difference', () => {
    const last = seen(100, GWEI);
    const jump = { block: 2_000_000_000, baseFeeWei: 10n ** 30n, at: last.at + 250 };
    expect(believeBaseFee(last, jump).baseFeeWei).toBe(1_265_625_000n);
  });

  it('counts a block that many requests saw the one before of', () => {
    let last = seen(100, GWEI, 0);
    for (let at = 10; at < 12_000; at += 10) last = believeBaseFee(last, seen(100, GWEI, at));
    expect(believeBaseFee(last, seen(101, (9n * GWEI) / 8n, 12_000)).baseFeeWei).toBe((9n * GWEI) / 8n);
  });

  it('is any reading after hours of sleep', () => {
    const slept = seen(100 + 1_800, 900n * GWEI);
    expect(believeBaseFee(seen(100, GWEI), slept)).toEqual(slept);
  });

  it('follows a chain that was set back, by its new blocks', () => {
    const back = believeBaseFee(seen(5_000_000, GWEI), { block: 3, baseFeeWei: 3n * GWEI, at: 60_100_000_000 });
    expect(back).toEqual({ block: 3, baseFeeWei: GWEI, at: 60_100_000_000 });
    const later = { block: 20, baseFeeWei: 3n * GWEI, at: 60_100_200_000 };
    expect(believeBaseFee(back, later)).toEqual(later);
  });

  it('stays after the clock was set back, and rises again with the next blocks', () => {
    const last = seen(100, GWEI);
    const back = believeBaseFee(last, { block: 101, baseFeeWei: 2n * GWEI, at: last.at - HOUR_MS });
    expect(back.baseFeeWei).toBe(GWEI);
    const later = { block: 110, baseFeeWei: 2n * GWEI, at: back.at + 108_000 };
    expect(believeBaseFee(back, later)).toEqual(later);
  });

  it('is 0 where the chain has no base fee, and leaves 0 within a few minutes', () => {
    const none = believeBaseFee(seen(100, 0n), seen(101, 0n));
    expect(none.baseFeeWei).toBe(0n);
    expect(believeBaseFee(none, seen(111, GWEI)).baseFeeWei).toBe(10n);
    expect(believeBaseFee(none, seen(301, GWEI)).baseFeeWei).toBe(GWEI);
  });

  const sighting = fc.record({
    block: fc.nat(),
    baseFeeWei: fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
    at: fc.integer({ min: 0, max: 10 ** 13 }),
  });

  it('is never above the reading, and never rises by more than an eighth (rounded up) for each block and each 100 ms', () => {
    fc.assert(
      fc.property(sighting, sighting, fc.nat(60), fc.integer({ min: 0, max: 6_000 }), (last, other, blocks, ms) => {
        const reading = { ...other, block: last.block + blocks, at: last.at + ms };
        const { baseFeeWei } = believeBaseFee(last, reading);
        expect(baseFeeWei <= reading.baseFeeWei).toBe(true);
        const steps = Math.min(blocks, Math.floor(ms / 100));
        // At most a factor of 9/8 per block, plus 1 wei for each rounding up.
        const bound = ((last.baseFeeWei + 8n) * 9n ** BigInt(steps)) / 8n ** BigInt(steps);
        expect(baseFeeWei <= bound).toBe(true);
      }),
    );
  });

  it('is no lower where the reading, the blocks or the time is higher', () => {
    fc.assert(
      fc.property(sighting, sighting, fc.nat(1_000), fc.nat(1_000), (last, reading, blocks, ms) => {
        const more = { block: reading.block + blocks, baseFeeWei: reading.baseFeeWei + 1n, at: reading.at + ms };
        expect(believeBaseFee(last, more).baseFeeWei >= believeBaseFee(last, reading).baseFeeWei).toBe(true);
      }),
    );
  });
});

describe('the tip that is believed', () => {
  const hours = (...tips: readonly bigint[]): HourlyTip[] => tips.map((lowestWei, hour) => ({ hour, lowestWei }));
  /** The believed tip if the next hour has one reading with this tip. */
  const read = (history: readonly HourlyTip[], tipWei: bigint): bigint =>
    believedTip(tipWei, withTip(history, tipWei, history.length * HOUR_MS));

  it('is the first reading', () => {
    expect(read([], 30n * GWEI)).toBe(30n * GWEI);
  });

  it('is the usual one where one reading, or those of two hours, are a hundred times as high', () => {
    expect(read(hours(GWEI), 100n * GWEI)).toBe(GWEI);
    expect(read(hours(GWEI, GWEI, GWEI), 100n * GWEI)).toBe(GWEI);
    expect(read(hours(GWEI, GWEI, GWEI, 100n * GWEI), 100n * GWEI)).toBe(GWEI);
  });

  it('follows once most hours have it, and at least three', () => {
    const pushed = Array.from({ length: 11 }, () => 100n * GWEI);
    const usual = Array.from({ length: 12 }, () => GWEI);
    expect(read(hours(...usual, ...pushed), 100n * GWEI)).toBe(GWEI);
    expect(read(hours(...usual.slice(1), ...pushed, 100n * GWEI), 100n * GWEI)).toBe(100n * GWEI);
    expect(read(hours(GWEI, 100n * GWEI, 100n * GWEI), 100n * GWEI)).toBe(100n * GWEI);
  });

  it('falls at once', () => {
    expect(read(hours(GWEI, GWEI, GWEI), 5n)).toBe(5n);
  });

  it('is kept by the lowest reading of an hour', () => {
    const first = withTip([], 100n * GWEI, 5 * HOUR_MS);
    const second = withTip(first, GWEI, 5 * HOUR_MS + 1);
    expect(second).toEqual([{ hour: 5, lowestWei: GWEI }]);
    expect(withTip(second, 100n * GWEI, 5 * HOUR_MS + 2)).toBe(second);
  });

  it('is kept for the newest hours in which the chain was read, however long ago', () => {
    const slept = withTip(hours(GWEI, GWEI), 100n * GWEI, 1_000_000 * HOUR_MS);
    expect(slept).toHaveLength(3);
    expect(believedTip(100n * GWEI, slept)).toBe(GWEI);
    const full = Array.from({ length: 30 }).reduce<readonly HourlyTip[]>(
      (history, _, hour) => withTip(history, BigInt(hour), hour * HOUR_MS),
      [],
    );
    expect(full.map(({ hour }) => hour)).toEqual(Array.from({ length: TIP_HOURS }, (_, index) => index + 6));
  });

  const tip = fc.bigInt({ min: 0n, max: 10n ** 15n });

  it('is never above the reading, nor above what one reading cannot move', () => {
    fc.assert(
      fc.property(fc.array(tip, { minLength: 1, maxLength: TIP_HOURS }), tip, (tips, reading) => {
        const believed = read(hours(...tips), reading);
        expect(believed <= reading).toBe(true);
        const sorted = [...tips].sort((a, b) => (a < b ? -1 : 1));
        expect(believed <= sorted[Math.floor(tips.length / 2)]!).toBe(true);
      }),
    );
  });
});
