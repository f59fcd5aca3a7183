import { expect, test } from 'vitest';
import { coinPriceError, coinPriceForm, coinPriceWords, typedCoinPrice } from './coin-price-form.ts';

const FEED = `0x${'ab'.repeat(20)}` as const;

test.each([
  null,
  { source: 'static', usd: '3000.5' },
  { source: 'chainlink', nativeFeed: FEED, maxAge: 3600 },
] as const)('%o is shown as it was typed, and typed again it is the same', (price) => {
  expect(typedCoinPrice(coinPriceForm(price))).toEqual(price);
});

test.each(['', '0', '-1', '1,5', '1e9', 'much'])('%j is no price', (usd) => {
  const form = { ...coinPriceForm(null), source: 'static', usd } as const;
  expect(typedCoinPrice(form)).toBeUndefined();
  expect(coinPriceError(form)).toBe(
    usd === '' ? '' : 'It must be a number of US dollars between 0.0001 and 10,000,000, with at most 18 decimals.',
  );
});

test('a feed needs an address and an age', () => {
  const form = { ...coinPriceForm(null), source: 'chainlink', nativeFeed: FEED } as const;
  expect(typedCoinPrice(form)).toEqual({ source: 'chainlink', nativeFeed: FEED, maxAge: 90_000 });
  expect(typedCoinPrice({ ...form, nativeFeed: '0x12' })).toBeUndefined();
  expect(typedCoinPrice({ ...form, maxAge: null })).toBeUndefined();
});

test('a price is shown with its coin, and that of a feed with its time', () => {
  expect(coinPriceWords({ usd: '3000.5', updatedAt: null, error: null }, 'ETH')).toBe('One ETH is $3,000.50.');
  const updatedAt = Date.UTC(2026, 10, 23, 11) / 1000;
  expect(coinPriceWords({ usd: '2999.99', updatedAt, error: null }, 'ETH')).toMatch(
    /^One ETH is \$2,999\.99, as the feed answered at 23 Nov 2026, .+\.$/,
  );
  expect(coinPriceWords({ usd: null, updatedAt: null, error: 'it is away' }, 'ETH')).toBe('');
});
