import { expect, test } from 'vitest';
import { playEverySecond } from './every-second.ts';

test('every second of a run under load comes back as it was', async () => {
  const { decisions, restored } = await playEverySecond({ seconds: 3, decisionsPerSecond: 100 });
  expect(decisions).toBeGreaterThan(0);
  expect(restored).toHaveLength(3);
  expect(restored.flatMap(({ faults }) => faults)).toEqual([]);
});
