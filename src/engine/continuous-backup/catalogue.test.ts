import { describe, expect, test } from 'vitest';
import { copiesOf, copyName, namesBefore, planRestore, segmentName, snapshotPartName } from './catalogue.ts';

const HOUR_MS = 3_600_000;
const BEGINNING = Date.UTC(2026, 10, 26);
const HOURS = 24;

/** Three runs of eight hours with a segment an hour, and whole databases after segments 0 and 4. */
const names = [0, 1, 2].flatMap((run) => {
  const copy = copyName(BEGINNING + 8 * run * HOUR_MS, 'aa');
  const segments = [...Array(8).keys()].map((seq) => segmentName(copy, seq + 1, BEGINNING + (8 * run + seq) * HOUR_MS));
  const parts = [0, 4].flatMap((seq) => [snapshotPartName(copy, seq, 0, false), snapshotPartName(copy, seq, 1, true)]);
  return [...segments, ...parts];
});
const others = ['gasdesk-copy.json', 'lease/0000000007'];
const planAt = (stored: readonly string[], at: number) => planRestore(copiesOf(stored), at);

describe.each([...Array(HOURS).keys()])('without what no restore to hour %i or later needs', (hour) => {
  const from = BEGINNING + hour * HOUR_MS;
  const all = [...others, ...names];
  const unneeded = namesBefore(copiesOf(all), all, from);
  const left = all.filter((name) => !unneeded.includes(name));

  test('each of them is as before', () => {
    for (let at = from; at < BEGINNING + (HOURS + 1) * HOUR_MS; at += HOUR_MS / 2)
      expect(planAt(left, at)).toEqual(planAt(all, at));
  });

  test('only what it needs is left of the time before', () => {
    const needed = planAt(all, from)!;
    const before = left.filter((name) => name < needed.copy && !others.includes(name));
    expect(before).toEqual([]);
    expect(copiesOf(left)[0]?.snapshots[0]).toEqual(needed.snapshot);
    expect(copiesOf(left)[0]?.segments[0]).toEqual(needed.segments[0]);
    expect(left).toEqual(expect.arrayContaining(others));
  });
});

test('nothing is removed while no whole database is old enough', () => {
  expect(namesBefore(copiesOf(names), names, BEGINNING - HOUR_MS)).toEqual([]);
});
