import { expect, test } from 'vitest';
import { feesRule } from './fees.ts';

test.each([
  [0n, 7n, 'deny', 'FEE_TOO_LOW'],
  [6n, 7n, 'deny', 'FEE_TOO_LOW'],
  [7n, 7n, 'pass', 'FEE_COVERS_BASE'],
  [0n, 0n, 'pass', 'FEE_COVERS_BASE'],
  [0n, undefined, 'skip', 'BASE_FEE_UNKNOWN'],
])('a tank is not drained by an operation that offers %s where the base fee is %s', (offered, base, outcome, code) => {
  const verdict = feesRule.check(null, { maxFeePerGasWei: offered, baseFeeWei: base });
  expect({ outcome: verdict.outcome, code: verdict.code }).toEqual({ outcome, code });
  expect(verdict.evidence).toMatchObject({ maxFeePerGasWei: String(offered) });
});
