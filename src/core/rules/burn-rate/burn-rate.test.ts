import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsWith, policyWith } from '../../../../test/support/facts.ts';
import { plan } from '../../decision/decide.ts';
import { checkBurnRate, forgottenAt, partEndsAt } from './burn-rate.ts';

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

test('what is signed counts until it is forgotten, and what is signed last in its part counts for the shortest time', () => {
  const chain = { name: null, symbol: null, unreachableBudgetWei: null, maxOperationCostWei: null };
  const some = fc.record({ seconds: fc.integer({ min: 60, max: 7 * 86_400 }), at: fc.integer({ min: 1, max: 1e13 }) });
  fc.assert(
    fc.property(some, ({ seconds, at }) => {
      const policy = policyWith({ chain: { ...chain, breaker: { amountWei: '1', seconds } } });
      const reservedAt = (time: number) =>
        plan(factsWith({ at: time }), policy).find(({ account }) => account.kind === 'breaker');
      const window = reservedAt(at)?.account.window ?? 0;
      const over = forgottenAt(seconds, at);
      expect(reservedAt(over - 1)?.since).toBeLessThanOrEqual(window);
      expect(reservedAt(over)?.since).toBeGreaterThan(window);
      const end = partEndsAt(seconds, at);
      expect(reservedAt(end)?.account.window).toBe(window);
      expect(reservedAt(end + 1)?.account.window).toBe(window + 1);
    }),
  );
});
