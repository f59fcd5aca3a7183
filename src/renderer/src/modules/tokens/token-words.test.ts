import { expect, test } from 'vitest';
import { priceSentence } from './token-words.ts';

const usdc = { symbol: 'USDC', decimals: 6, premium: '13' };

test.each([
  ['A user pays about 3.39 USDC for an operation that costs 0.001 ETH.', usdc, '3000'],
  ['A user pays about 3 USDC for an operation that costs 0.001 ETH.', { ...usdc, premium: '0' }, '3000'],
  ['A user pays about 0.000001 USDC for an operation that costs 0.001 ETH.', usdc, '0.000001'],
  ['A user pays about 1 DAY for an operation that costs 0.001 ETH.', { symbol: 'DAY', decimals: 0, premium: '0' }, '7'],
])('the operator reads what users will pay: %s', (sentence, token, rate) => {
  expect(priceSentence(token, rate, 'ETH')).toBe(sentence);
});

test.each([
  ['', '13'],
  ['0', '13'],
  ['3000', ''],
  ['3000', 'ten'],
  ['0.0000001', '13'],
])('a rate of %j with a premium of %j promises nothing', (rate, premium) => {
  expect(priceSentence({ ...usdc, premium }, rate, 'ETH')).toBeUndefined();
});
