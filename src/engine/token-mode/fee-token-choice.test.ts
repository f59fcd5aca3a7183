import { expect, test } from 'vitest';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import { requestedTokens, requireFeeToken } from './fee-token-choice.ts';

const A = '0xAbCdEf0000000000000000000000000000000001';
const B = '0xAbCdEf0000000000000000000000000000000002';
const usdc: FeeToken = {
  chainId: 1,
  address: A,
  symbol: 'USDC',
  decimals: 6,
  premium: '0',
  rate: { source: 'static', tokensPerCoin: '1' },
  preFund: false,
  logoUrl: null,
};

test('finds the token whatever the letter case of its address', () => {
  expect(
    requireFeeToken([usdc], { feeTokenAddress: '0xabcdef0000000000000000000000000000000001' }, { tokenMode: true }),
  ).toBe(usdc);
});

test.each([[{}], [{ feeTokenAddress: null }], [{ preferredToken: A }] as const])(
  'says which field is missing where no token is named: %j',
  (tokenInfo) => {
    expect(() => requireFeeToken([usdc], tokenInfo, { tokenMode: true })).toThrow(
      expect.objectContaining({
        code: 'FEE_TOKEN_REQUIRED',
        message: 'tokenInfo.feeTokenAddress is required in ERC20 mode',
      }),
    );
  },
);

test('says what is supported where the named token is not', () => {
  expect(() => requireFeeToken([usdc], { feeTokenAddress: B }, { tokenMode: true })).toThrow(
    expect.objectContaining({ code: 'TOKEN_NOT_SUPPORTED', data: { supported: [A] } }),
  );
});

test('asks for each token once, the preferred one first, and for none where none is named', () => {
  const lower = A.toLowerCase() as typeof A;
  expect(requestedTokens({ preferredToken: B, tokenList: [lower, B, A] })).toHaveLength(2);
  expect(requestedTokens({ preferredToken: B, tokenList: [A] })).toEqual([B, A]);
  expect(requestedTokens({ tokenList: [] })).toEqual([]);
  expect(requestedTokens({ tokenList: null, preferredToken: null })).toEqual([]);
  expect(requestedTokens({})).toEqual([]);
});
