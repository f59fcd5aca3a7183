import { expect, it } from 'vitest';
import { systemEntropy } from '../base/clock.ts';
import { newDecisionId } from './decision-id.ts';

it('ids of decisions are UUIDs in the order of time, so that storing one costs the same however many there are', () => {
  const times = [0, 1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000];
  const ids = times.map((now) => newDecisionId(now, systemEntropy));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids).toEqual(ids.toSorted());
  expect(Number.parseInt(ids[1]!.replaceAll('-', '').slice(0, 12), 16)).toBe(times[1]);
});

it('two decisions of one millisecond have different ids', () => {
  const ids = Array.from({ length: 1000 }, () => newDecisionId(1_700_000_000_000, systemEntropy));
  expect(new Set(ids).size).toBe(1000);
});
