import { expect, test } from 'vitest';
import { checkBurnRate } from './burn-rate.ts';

test.each<[string, bigint, bigint, string]>([
  ['reaches the amount to the wei', 7n, 3n, 'WITHIN_BURN_RATE'],
  ['is a wei over it', 7n, 4n, 'BURN_RATE_EXCEEDED'],
  ['is the first and takes all of it', 0n, 10n, 'WITHIN_BURN_RATE'],
  ['alone is over it: no rate was too high, so nothing is to be paused', 0n, 11n, 'BURN_RATE_TOO_SMALL'],
  ['costs nothing while more is signed than a new, lower amount', 20n, 0n, 'BURN_RATE_EXCEEDED'],
])('an operation that %s', (_what, used, amount, code) => {
  const verdict = checkBurnRate({ chainId: 10, threshold: 10n, seconds: 60, used, amount });
  const evidence = { chainId: 10, unit: 'wei', seconds: 60, threshold: '10', used: `${used}`, amount: `${amount}` };
  expect(verdict).toEqual({ outcome: code === 'WITHIN_BURN_RATE' ? 'pass' : 'deny', code, evidence });
});
