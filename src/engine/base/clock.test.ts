import { assert, array, integer, oneof, property, record, constantFrom } from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { ManualMachine } from '../../../test/support/manual-machine.ts';
import { createClock, systemClock, systemEntropy } from './clock.ts';

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

test('the system clock returns the wall time and measures durations forwards', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
  const start = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(start);
});

describe('the clock of a desk', () => {
  const HOUR = 3_600_000;

  test('starts with the time of the machine and continues with it', () => {
    const machine = new ManualMachine();
    const clock = createClock(machine);
    machine.pass(12_345.5);
    expect([clock.now(), clock.machineAheadMs()]).toEqual([Math.floor(machine.wall()), 0.5]);
  });

  test.each([
    ['ahead', 2 * HOUR],
    ['back', -2 * HOUR],
  ])('does not jump when the machine is set two hours %s, and says by how much they differ', (_way, byMs) => {
    const machine = new ManualMachine();
    const clock = createClock(machine);
    const before = clock.now();
    machine.set(byMs);
    expect([clock.now(), clock.machineAheadMs()]).toEqual([before, byMs]);
    machine.pass(HOUR);
    expect(clock.now() - before).toBe(HOUR + Math.sign(byMs) * (HOUR / 10));
    for (let hours = 1; hours < 20; hours += 1) {
      machine.pass(HOUR);
      clock.now();
    }
    expect(Math.abs(clock.machineAheadMs())).toBeLessThan(1);
  });

  test('believes at once that the machine has slept for a night, and no more than that', () => {
    const machine = new ManualMachine();
    const clock = createClock(machine);
    machine.pass(5_000);
    clock.now();
    machine.sleep(8 * HOUR);
    machine.set(2 * HOUR);
    machine.pass(1_000);
    const before = clock.machineAheadMs();
    expect(before).toBeGreaterThan(2 * HOUR - 1_000);
    expect(before).toBeLessThanOrEqual(2 * HOUR);
  });

  test('notices at once that the machine sleeps again right after it woke', () => {
    const machine = new ManualMachine();
    const clock = createClock(machine);
    for (const awakeMs of [5_000, 10, 10]) {
      machine.pass(awakeMs);
      clock.now();
      machine.sleep(8 * HOUR);
      expect(clock.machineAheadMs()).toBe(0);
    }
  });

  const event = record({
    kind: constantFrom('pass', 'pass', 'sleep', 'set'),
    ms: oneof(integer({ min: 0, max: 5_000 }), integer({ min: -3 * HOUR, max: 3 * HOUR })),
  });
  test('never runs backwards, nor by more than a tenth faster than time passes, whatever is set and slept', () => {
    assert(
      property(array(event, { maxLength: 40 }), (events) => {
        const machine = new ManualMachine();
        const clock = createClock(machine);
        const start = clock.now();
        let [before, passed, slept] = [start, 0, 0];
        for (const { kind, ms } of events) {
          if (kind === 'set') machine.set(ms);
          else machine[kind](Math.abs(ms));
          if (kind === 'pass') passed += Math.abs(ms);
          if (kind === 'sleep') slept += Math.abs(ms);
          const now = clock.now();
          expect(now).toBeGreaterThanOrEqual(before);
          expect(now - start).toBeLessThanOrEqual(1.1 * passed + slept);
          expect(now - start).toBeGreaterThanOrEqual(Math.floor(0.9 * passed) - 1);
          before = now;
        }
      }),
    );
  });
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
