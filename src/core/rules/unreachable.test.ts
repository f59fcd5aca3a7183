import { expect, test } from 'vitest';
import { checkUnreachable } from './unreachable.ts';

test.each<[string, bigint, bigint, string]>([
  ['reaches the budget to the wei', 7n, 3n, 'WITHIN_UNREACHABLE_BUDGET'],
  ['is a wei over it', 7n, 4n, 'UNREACHABLE_BUDGET_SPENT'],
  ['is the first and takes all of it', 0n, 10n, 'WITHIN_UNREACHABLE_BUDGET'],
  ['alone is over it', 0n, 11n, 'UNREACHABLE_BUDGET_SPENT'],
  ['costs nothing while more is signed than a new, lower budget', 20n, 0n, 'UNREACHABLE_BUDGET_SPENT'],
])('an operation that %s', (_what, used, amount, code) => {
  const verdict = checkUnreachable({ chainId: 10, threshold: 10n, used, amount });
  const evidence = { chainId: 10, unit: 'wei', threshold: '10', used: `${used}`, amount: `${amount}` };
  expect(verdict).toEqual({ outcome: code === 'WITHIN_UNREACHABLE_BUDGET' ? 'pass' : 'deny', code, evidence });
});
