import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { weiToDecimal } from '../../../shared/schema/decimal.ts';
import { type SpendingLimit } from './data.ts';
import { limitAmount, checkSpendingLimit, thresholdUnits } from './spending-limit.ts';

const limit = (thresholdType: SpendingLimit['thresholdType'], threshold: string): SpendingLimit => ({
  type: 'PAYMASTER',
  cycleDuration: { value: 1, unit: 'day' },
  threshold,
  thresholdType,
  startTimeInEpoch: 0,
  durationInMs: 86_400_000,
});
const check = (of: SpendingLimit, used: bigint, amount: bigint) =>
  checkSpendingLimit({ name: 'Five', limit: of, used, amount, endsAt: 86_400_000, now: 1 });

describe('a limit', () => {
  test.each<[SpendingLimit['thresholdType'], string, bigint, bigint, string]>([
    ['COUNT', '5', 4n, 1n, 'LIMIT_HAS_ROOM'],
    ['COUNT', '5', 5n, 1n, 'LIMIT_REACHED'],
    ['COUNT', '999999999999999', 999_999_999_999_998n, 1n, 'LIMIT_HAS_ROOM'],
    ['NATIVE_ASSET', '0.3', 2n * 10n ** 17n, 10n ** 17n, 'LIMIT_HAS_ROOM'],
    ['NATIVE_ASSET', '0.3', 2n * 10n ** 17n, 10n ** 17n + 1n, 'LIMIT_REACHED'],
    ['NATIVE_ASSET', '0.000000000000000001', 0n, 1n, 'LIMIT_HAS_ROOM'],
    ['NATIVE_ASSET', '0.000000000000000001', 1n, 0n, 'LIMIT_HAS_ROOM'],
    ['NATIVE_ASSET', '0.000000000000000001', 0n, 2n, 'LIMIT_TOO_SMALL'],
    // After a re-org, restored reservations may exceed the limit, because other operations have used the amount
    // meanwhile.
    ['NATIVE_ASSET', '1', 2n * 10n ** 18n, 0n, 'LIMIT_REACHED'],
  ])('%s of %s with %d used and %d wanted: %s', (thresholdType, threshold, used, amount, code) => {
    expect(check(limit(thresholdType, threshold), used, amount)).toMatchObject({
      outcome: code === 'LIMIT_HAS_ROOM' ? 'pass' : 'deny',
      code,
    });
  });

  test('leaves every number that it compared', () => {
    expect(check(limit('NATIVE_ASSET', '0.1'), 7n, 8n).evidence).toEqual({
      name: 'Five',
      scope: 'PAYMASTER',
      unit: 'wei',
      threshold: '100000000000000000',
      used: '7',
      amount: '8',
      windowEndsAt: 86_400_000,
      now: 1,
    });
  });

  test.each([
    ['COUNT', undefined, 1n],
    ['NATIVE_ASSET', undefined, 99n],
    ['USD', { usd: '3000.1', source: 'static' as const }, 297_010n],
    ['USD', { usd: '0.0001', source: 'feed' as const }, 1n],
    ['USD', { usd: null, error: 'it is silent' }, undefined],
    ['USD', undefined, undefined],
  ] as const)('in %s with the price %j counts %s of an operation of 99 wei', (thresholdType, price, amount) => {
    expect(limitAmount(limit(thresholdType, '5'), 99n, price)).toBe(amount);
  });

  test('in the native coin is as many wei as its digits say, up to 10^15 coins', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 33n - 1n), (wei) => {
        expect(thresholdUnits(limit('NATIVE_ASSET', weiToDecimal(wei)))).toBe(wei);
      }),
    );
  });
});
