import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gasTankRule } from './gas-tank.ts';

const BEYOND_NUMBERS = 2n ** 53n;

describe('the tank', () => {
  test.each<[string, bigint, bigint, bigint, string, string]>([
    ['holds exactly what is needed', 9n, 0n, 9n, 'pass', 'TANK_COVERS'],
    ['holds one wei less', 8n, 0n, 9n, 'deny', 'GAS_TANK_EMPTY'],
    ['holds what is needed, but a wei of it is promised', 9n, 1n, 9n, 'deny', 'GAS_TANK_EMPTY'],
    ['holds what is needed and promised', 10n, 1n, 9n, 'pass', 'TANK_COVERS'],
    ['is empty', 0n, 0n, 1n, 'deny', 'GAS_TANK_EMPTY'],
    ['is empty and nothing is needed', 0n, 0n, 0n, 'pass', 'TANK_COVERS'],
    ['has promised more than it holds', 5n, 6n, 0n, 'deny', 'GAS_TANK_EMPTY'],
    ['differs by one wei beyond 2^53', BEYOND_NUMBERS, 0n, BEYOND_NUMBERS + 1n, 'deny', 'GAS_TANK_EMPTY'],
  ])('%s', (_, balanceWei, promisedWei, neededWei, outcome, code) => {
    const evidence = { balanceWei: `${balanceWei}`, promisedWei: `${promisedWei}`, neededWei: `${neededWei}` };
    expect(gasTankRule.check(null, { balanceWei, promisedWei, neededWei })).toEqual({ outcome, code, evidence });
  });

  test('that nobody can look into does not deny, and the trace says that nobody looked', () => {
    const verdict = gasTankRule.check(null, { balanceWei: undefined, promisedWei: 3n, neededWei: 9n });
    const evidence = { promisedWei: '3', neededWei: '9' };
    expect(verdict).toEqual({ outcome: 'skip', code: 'BALANCE_UNKNOWN', evidence });
  });

  test('never promises more than it holds, however operations come', () => {
    const wei = fc.bigInt({ min: 0n, max: 2n ** 130n });
    fc.assert(
      fc.property(wei, fc.array(wei, { maxLength: 30 }), (balanceWei, costs) => {
        let promisedWei = 0n;
        for (const neededWei of costs) {
          const { outcome } = gasTankRule.check(null, { balanceWei, promisedWei, neededWei });
          if (outcome === 'pass') promisedWei += neededWei;
          else expect(promisedWei + neededWei).toBeGreaterThan(balanceWei);
        }
        expect(promisedWei).toBeLessThanOrEqual(balanceWei);
      }),
    );
  });
});
