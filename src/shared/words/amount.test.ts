import { expect, test } from 'vitest';
import { exactWei, shownAmount } from './amount.ts';

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
