import { expect, test } from 'vitest';
import { triedTimes } from './use-trial.ts';

test('trials of the same hour begin together, and include the newest decision', () => {
  const noon = Date.UTC(2026, 0, 8, 12);
  const from = Date.UTC(2026, 0, 1, 12);
  for (const now of [noon, noon + 9_759, noon + 3_599_999]) expect(triedTimes(now)).toEqual({ from, to: now });
  expect(triedTimes(noon + 3_600_000).from).toBe(from + 3_600_000);
});
