import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientNumber, priceMarkup, rateWithPremium, tokenCost } from './amounts.ts';

const COIN = 10n ** 18n;
const wei = fc.bigInt({ min: 0n, max: 10n ** 24n });
/** From a token of which one unit is a coin to one of 18 decimals worth a millionth of a dollar. */
const rate = fc.bigInt({ min: 1n, max: 10n ** 28n });
const tenThousandths = fc.bigInt({ min: 0n, max: 1_000_000n });
const percent = tenThousandths.map((n) => `${n / 10_000n}.${String(n % 10_000n).padStart(4, '0')}`);

describe('what gas costs in tokens', () => {
  test('is never below cost, and never a whole unit above it', () => {
    fc.assert(
      fc.property(wei, rate, percent, (amount, exchangeRate, premium) => {
        const markup = priceMarkup(premium);
        const exact = amount * exchangeRate * markup; // times 1e24
        const units = tokenCost(amount, exchangeRate, markup) * COIN * 1_000_000n;
        expect(units >= exact && units < exact + COIN * 1_000_000n).toBe(true);
      }),
    );
  });

  test('at a rate that includes the premium is the same, but for a unit and one for each native coin of cost', () => {
    fc.assert(
      fc.property(wei, rate, percent, (amount, exchangeRate, premium) => {
        const exact = tokenCost(amount, exchangeRate, priceMarkup(premium));
        const atRate = tokenCost(amount, rateWithPremium(exchangeRate, premium));
        expect(atRate >= exact && atRate <= exact + amount / COIN + 1n).toBe(true);
      }),
    );
  });

  test('grows with the gas, so that the maximum covers whatever is used', () => {
    fc.assert(
      fc.property(wei, wei, rate, (a, b, exchangeRate) => {
        const [small, large] = a < b ? [a, b] : [b, a];
        expect(tokenCost(small, exchangeRate) <= tokenCost(large, exchangeRate)).toBe(true);
      }),
    );
  });

  test.each([
    ['nothing', 0n, 3_000_000_000n, '13', 0n],
    ['1 wei', 1n, 3_000_000_000n, '0', 1n],
    ['a coin at 3000 USDC', COIN, 3_000_000_000n, '0', 3_000_000_000n],
    ['a coin at 3000 USDC and 13 %', COIN, 3_000_000_000n, '13', 3_390_000_000n],
    ['a coin at 3000 USDC and 2.5 %', COIN, 3_000_000_000n, '2.5', 3_075_000_000n],
    ['a coin at 3 units and 0.0001 %', COIN, 3n, '0.0001', 4n],
  ])('%s', (_what, amount, exchangeRate, premium, units) => {
    expect(tokenCost(amount, exchangeRate, priceMarkup(premium))).toBe(units);
  });
});

test.each([
  ['0', 1_000_000n],
  ['13', 1_130_000n],
  ['2.5', 1_025_000n],
  ['0.0001', 1_000_001n],
  ['100', 2_000_000n],
])('a premium of %s %% is the markup %i, exactly', (premium, markup) => expect(priceMarkup(premium)).toBe(markup));

describe('the number a client reads', () => {
  /** The arithmetic of @biconomy/account, buildTokenApprovalTransaction. */
  const approvalOf = (maxGasFee: number, decimal: number): bigint => BigInt(Math.ceil(maxGasFee * 10 ** decimal));

  test('makes it approve enough, and hardly more than doubles can tell apart', () => {
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
