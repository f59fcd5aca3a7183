import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allEntryPoints, entryPoints } from './registry.ts';

const gas = fc.bigInt({ min: 0n, max: 10n ** 7n });
const penalties = fc.constantFrom(...allEntryPoints.map(({ unusedGasPenalty }) => unusedGasPenalty));

test.each([
  ['0.6', 1_000_000n, 1_000_000n, 0n, 0n],
  ['0.7', 100_000n, 50_000n, 30_000n, 12_000n],
  ['0.7', 100_000n, 0n, 100_001n, 0n],
  ['0.8', 100_000n, 0n, 60_000n, 0n],
  ['0.8', 100_001n, 0n, 60_000n, 4_000n],
  ['0.8', 100_000n, 40_001n, 60_000n, 4_000n],
  ['0.9', 100_000n, 0n, 60_000n, 0n],
  ['0.9', 100_001n, 0n, 60_000n, 4_000n],
  ['0.9', 100_000n, 40_001n, 60_000n, 4_000n],
] as const)(
  'v%s charges for unused gas of limits %s and %s, of which %s is used, with %s',
  (version, call, postOp, used, penalty) => {
    const { unusedGasPenalty } = entryPoints[version];
    expect(unusedGasPenalty.of({ callGasLimit: call, postOpGasLimit: postOp }, used)).toBe(penalty);
  },
);

test('limits within a penalty have that penalty at most, are no higher, and leave the call what it uses', () => {
  fc.assert(
    fc.property(penalties, gas, gas, gas, gas, (unusedGasPenalty, callGasLimit, postOpGasLimit, wanted, penalty) => {
      const used = wanted < callGasLimit ? wanted : callGasLimit;
      const before = { callGasLimit, postOpGasLimit };
      const after = unusedGasPenalty.limitsWithin(before, used, penalty);
      expect(unusedGasPenalty.of(after, used)).toBeLessThanOrEqual(penalty);
      expect(after.callGasLimit).toBeLessThanOrEqual(callGasLimit);
      expect(after.postOpGasLimit).toBeLessThanOrEqual(postOpGasLimit);
      expect(after.callGasLimit).toBeGreaterThanOrEqual(used);
      if (unusedGasPenalty.of(before, used) <= penalty) expect(after).toEqual(before);
    }),
  );
});
