import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientNumber, priceMarkup, rateWithPremium } from '../../core/token-mode/amounts.ts';

/** From one unit per coin up to a token with 18 decimals that is worth a millionth of a dollar. */
const rate = fc.bigInt({ min: 1n, max: 10n ** 28n });
const tenThousandths = fc.bigInt({ min: 0n, max: 1_000_000n });

test('a rate that includes the premium is never below the exact one, and never a whole unit above it', () => {
  fc.assert(
    fc.property(rate, tenThousandths, (exchangeRate, premium) => {
      const percent = `${premium / 10_000n}.${String(premium % 10_000n).padStart(4, '0')}`;
      const exact = exchangeRate * (1_000_000n + premium); // in millionths
      const units = rateWithPremium(exchangeRate, percent) * 1_000_000n;
      expect(units >= exact && units < exact + 1_000_000n).toBe(true);
    }),
  );
});

test.each([
  [3_000_000_000n, '0', 3_000_000_000n],
  [3_000_000_000n, '13', 3_390_000_000n],
  [3_000_000_000n, '2.5', 3_075_000_000n],
  [3n, '0.0001', 4n],
])('a rate of %i units with %s %% on top is %i', (exchangeRate, premium, units) =>
  expect(rateWithPremium(exchangeRate, premium)).toBe(units),
);

test.each([
  ['0', 1_000_000n],
  ['13', 1_130_000n],
  ['2.5', 1_025_000n],
  ['0.0001', 1_000_001n],
  ['100', 2_000_000n],
])('a premium of %s %% is the markup %i, exactly', (premium, markup) => expect(priceMarkup(premium)).toBe(markup));

describe('the number a client reads', () => {
  /** The computation in @biconomy/account, buildTokenApprovalTransaction. */
  const approvalOf = (maxGasFee: number, decimal: number): bigint => BigInt(Math.ceil(maxGasFee * 10 ** decimal));

  test('makes it approve enough, and hardly more than doubles can distinguish', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.integer({ min: 0, max: 36 }), (units, decimals) => {
        const approved = approvalOf(clientNumber(units, decimals), decimals);
        expect(approved >= units && approved <= units + units / 2n ** 50n + 1n).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    [768_279n, 6, 0.768279],
    [0n, 6, 0],
    [5n, 0, 5],
    [10n ** 18n, 18, 1],
  ])('%i units of %i decimals read as one would write them', (units, decimals, number) => {
    expect(clientNumber(units, decimals)).toBe(number);
  });
});
