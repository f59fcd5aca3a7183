import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { decision } from '../../../test/support/store-records.ts';
import { createClockWatch, warnOfSetBack } from './clock-watch.ts';
import { createLog } from '../base/log.ts';

const logged = () => {
  const lines: object[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(JSON.parse(line) as object) });
  return { lines, log };
};

test.each([
  ['ahead', 60_001],
  ['behind', -60_001],
])('a machine whose time is more than a minute %s is reported once, and so is its recovery', async (_where, ms) => {
  const { lines, log } = logged();
  const clock = new ManualClock();
  const look = createClockWatch(clock, log);
  for (const aheadMs of [0, 60_000, -60_000, ms, ms, 0, 0]) {
    clock.aheadMs = aheadMs;
    await look();
  }
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', event: 'clock.differs', ms }),
    expect.objectContaining({ level: 'info', event: 'clock.agrees' }),
  ]);
});

test.each([
  [60_000, []],
  [3_600_000, [expect.objectContaining({ level: 'warn', event: 'clock.set-back', ms: 3_600_000 })]],
])('at the start, a newest decision from %i ms later than now', async (later, expected) => {
  const { lines, log } = logged();
  const clock = new ManualClock();
  const newest = { ...decision({ at: clock.now() + later }), seq: 1 };
  await warnOfSetBack({ listDecisions: () => Promise.resolve([newest]) }, clock, log);
  await warnOfSetBack({ listDecisions: () => Promise.resolve([]) }, clock, log);
  expect(lines).toEqual(expected);
});
