import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkGasTank, checkTankShare } from './gas-tank.ts';

const BEYOND_NUMBERS = 2n ** 53n;

describe('the tank', () => {
  test.each<[string, bigint, bigint, bigint, string, string]>([
    ['holds exactly what is needed', 9n, 0n, 9n, 'pass', 'TANK_COVERS'],
    ['holds one wei less', 8n, 0n, 9n, 'deny', 'GAS_TANK_EMPTY'],
    ['holds what is needed, but a wei of it is reserved', 9n, 1n, 9n, 'deny', 'GAS_TANK_EMPTY'],
    ['holds what is needed and reserved', 10n, 1n, 9n, 'pass', 'TANK_COVERS'],
    ['is empty', 0n, 0n, 1n, 'deny', 'GAS_TANK_EMPTY'],
    ['is empty and nothing is needed', 0n, 0n, 0n, 'pass', 'TANK_COVERS'],
    ['has reserved more than it holds', 5n, 6n, 0n, 'deny', 'GAS_TANK_EMPTY'],
    ['differs by one wei beyond 2^53', BEYOND_NUMBERS, 0n, BEYOND_NUMBERS + 1n, 'deny', 'GAS_TANK_EMPTY'],
  ])('%s', (_, balanceWei, reservedWei, requiredWei, outcome, code) => {
    const evidence = { balanceWei: `${balanceWei}`, reservedWei: `${reservedWei}`, requiredWei: `${requiredWei}` };
    expect(checkGasTank({ balanceWei, reservedWei, requiredWei })).toEqual({ outcome, code, evidence });
  });

  test('an unreadable tank does not deny, and the trace says that it was not read', () => {
    const verdict = checkGasTank({ balanceWei: undefined, reservedWei: 3n, requiredWei: 9n });
    const evidence = { reservedWei: '3', requiredWei: '9' };
    expect(verdict).toEqual({ outcome: 'skip', code: 'BALANCE_UNKNOWN', evidence });
  });

  test('never promises more than it holds, however operations come', () => {
    const wei = fc.bigInt({ min: 0n, max: 2n ** 130n });
    fc.assert(
      fc.property(wei, fc.array(wei, { maxLength: 30 }), (balanceWei, costs) => {
        let reservedWei = 0n;
        for (const requiredWei of costs) {
          const { outcome } = checkGasTank({ balanceWei, reservedWei, requiredWei });
          if (outcome === 'pass') reservedWei += requiredWei;
          else expect(reservedWei + requiredWei).toBeGreaterThan(balanceWei);
        }
        expect(reservedWei).toBeLessThanOrEqual(balanceWei);
      }),
    );
  });
});

test.each([
  ['holds nothing and asks for more than its share', 0n, 400n, 'WITHIN_TANK_SHARE'],
  ['comes to its share', 200n, 50n, 'WITHIN_TANK_SHARE'],
  ['would come to a wei more', 200n, 51n, 'TANK_SHARE_REACHED'],
  ['holds more than its share since the tank was drawn from', 300n, 0n, 'TANK_SHARE_REACHED'],
])('a user of a shared tank who %s', (_what, outstandingWei, requiredWei, code) => {
  const facts = { holder: 'sender', percent: 25, balanceWei: 1_003n, outstandingWei, requiredWei } as const;
  expect(checkTankShare(facts)).toEqual({
    outcome: code === 'WITHIN_TANK_SHARE' ? 'pass' : 'deny',
    code,
    evidence: {
      holder: 'sender',
      percent: 25,
      shareWei: '250',
      outstandingWei: String(outstandingWei),
      requiredWei: String(requiredWei),
    },
  });
});
