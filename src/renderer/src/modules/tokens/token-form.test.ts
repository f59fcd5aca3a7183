import { expect, test } from 'vitest';
import { emptyToken, isWhole, premiumError, rateError } from './token-form.ts';

const whole = { ...emptyToken(), chainId: 1, address: `0x${'70'.repeat(20)}`, symbol: 'USDC', tokensPerCoin: '3000.5' };

test('a token that is complete and right can be saved', () => {
  expect(isWhole(whole)).toBe(true);
});

test.each(['101', '-1', '1e1', '1.00001', 'ten'])('%s is no premium, and the form says so', (premium) => {
  expect(premiumError(premium)).toBe('Enter a percentage from 0 to 100, with at most 4 decimals.');
  expect(isWhole({ ...whole, premium })).toBe(false);
});

test.each(['0', '-1', '3,000', 'many'])('%s is no number of tokens, and the form says so', (tokensPerCoin) => {
  expect(rateError(tokensPerCoin)).toBe('Enter a number above 0.');
  expect(isWhole({ ...whole, tokensPerCoin })).toBe(false);
});

test('a field into which nothing was typed has no error yet', () => {
  expect([premiumError(''), rateError(' ')]).toEqual(['', '']);
});

test('without its address, a feed cannot be used', () => {
  const feeds = { ...whole, source: 'chainlink', nativeFeed: `0x${'72'.repeat(20)}` } as const;
  expect(isWhole({ ...feeds, tokenFeed: '0x12' })).toBe(false);
  expect(isWhole({ ...feeds, tokenFeed: `0x${'73'.repeat(20)}` })).toBe(true);
});
