import { expect, test } from 'vitest';
import { exactWei, exactWorth, pricedAmount, shownAmount, shownWorth } from './amount.ts';

test.each([
  [0n, '0'],
  [10n ** 18n, '1'],
  [1_260_000_000_000_000n, '0.00126'],
  [1_234_567_891_234_567n, '0.00123456'],
  [12_345_678_901_234_567_890n, '12.3456'],
  [1_234_567n * 10n ** 18n, '1,234,567'],
  [999_999_999_999_999_999n, '0.999999'],
  [1n, '0.000000000000000001'],
])('%s wei are shown as %s coins, cut and not rounded up', (wei, shown) => {
  expect(shownAmount(wei)).toBe(shown);
});

test('the exact amount is there to be read', () => {
  expect(exactWei(1_234_567n)).toBe('1,234,567 wei');
});

const ETHER = 10n ** 18n;

test.each([
  [0n, '3000', '$0'],
  [12_300_000_000_000_000n, '3000', '$36.90'],
  [ETHER, '3000', '$3,000'],
  [ETHER, '2999.999', '$2,999.99'],
  [1_000n * ETHER, '1234.5', '$1,234,500'],
  [1_260_000_000_000n, '3000', '$0.0037'],
  [10_000_000_000_000n, '1000', '$0.01'],
  [9_999_999_999_999n, '1000', '$0.0099'],
  [1n, '0.0001', '$0'],
])('%s wei at $%s for one coin are worth %s, cut to the cent or to two digits', (wei, usd, shown) => {
  expect(shownWorth(wei, usd)).toBe(shown);
});

test('the worth of an amount is shown next to it if it is known, and in full in the hover', () => {
  expect(pricedAmount(12_300_000_000_000_000n, 'ETH', '3000')).toBe('0.0123 ETH ($36.90)');
  expect(pricedAmount(12_300_000_000_000_000n, 'ETH')).toBe('0.0123 ETH');
  expect(exactWorth(12_345_678_900_000_000n, 'ETH', '3000.5')).toBe('$37.04320953945 at $3,000.50 for one ETH');
});
