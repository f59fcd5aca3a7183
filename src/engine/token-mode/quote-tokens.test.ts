import { describe, expect, test } from 'vitest';
import { feeQuote } from '../../shared/schema/fee-token.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Rates } from '../chain/rates/rates.ts';
import { staticRate } from '../chain/rates/static.ts';
import type { ReadyTokenPaymaster } from '../paymaster/readiness.ts';
import { singleton06 } from '../../core/paymaster-layouts/singleton-0.6.ts';
import { Secret } from '../base/secret.ts';
import { priceTokens, quotePayment } from './quote-tokens.ts';
import { paymentTerms } from '../../core/token-mode/payment-terms.ts';

const PAYMASTER: Address = `0x${'9a'.repeat(20)}`;
const STRANGER: Address = `0x${'99'.repeat(20)}`;
const contract: ReadyTokenPaymaster = {
  chainId: 31337,
  layout: singleton06.token,
  entryPoint: PAYMASTER,
  contract: PAYMASTER,
  checked: true,
  signer: PAYMASTER,
  key: new Secret(`0x${'11'.repeat(32)}` as const),
  treasury: PAYMASTER,
};
const validUntil = 1_800_000_000;
const op: UserOperationV06 = {
  sender: STRANGER,
  nonce: 0n,
  initCode: '0x',
  callData: '0x',
  callGasLimit: 100_000n,
  verificationGasLimit: 200_000n,
  preVerificationGas: 50_000n,
  maxFeePerGas: 1_000_000_000n,
  maxPriorityFeePerGas: 1n,
  paymasterAndData: '0x',
  signature: '0x',
};
const FEED: Address = `0x${'fe'.repeat(20)}`;
const usdt: FeeToken = {
  chainId: 31337,
  address: `0x${'Ab'.repeat(20)}`,
  symbol: 'USDT',
  decimals: 6,
  premium: '13',
  rate: { source: 'chainlink', nativeFeed: FEED, tokenFeed: FEED, maxAge: 3600 },
  preFund: false,
  logoUrl: null,
};
const fixed: FeeToken = {
  ...usdt,
  address: `0x${'Fe'.repeat(20)}`,
  symbol: 'FIX',
  decimals: 18,
  premium: '0',
  rate: { source: 'static', tokensPerCoin: '2' },
  logoUrl: 'https://example.com/fix.svg',
};
/** Every feed reports 3000 USD per coin and 1 USD per token. */
const good: Pick<Rates, 'rateOf'> = {
  rateOf: async ({ rate, decimals }) =>
    rate.source === 'static'
      ? staticRate(rate, decimals)
      : { exchangeRate: 3_000_000_000n, usd: { price: 10n ** 18n, decimals: 18 } },
};
/** No feed can be used. */
const failing: Pick<Rates, 'rateOf'> = {
  rateOf: async (token) => {
    if (token.rate.source === 'static') return good.rateOf(token);
    throw new EngineError('CHAIN_UNREACHABLE', 'the feed answers 0, which is not a price');
  },
};
const quotes = async (asked: readonly Address[] = [], supported = [usdt, fixed], rates = good) => {
  const { priced, unsupportedTokens } = await priceTokens(rates, supported, asked);
  const sales = priced.map(({ token, rate }) =>
    quotePayment(paymentTerms(contract, token, rate.exchangeRate), rate, op, validUntil),
  );
  return { feeQuotes: sales, unsupportedTokens };
};

test('every token is quoted where none is named, in the shape that clients read', async () => {
  const { feeQuotes, unsupportedTokens } = await quotes();
  // (100,000 + 80,000 for an approval + 200,000 + 50,000 + 25,000 around the call + 45,000) gas at 1 gwei
  expect(feeQuotes).toEqual([
    {
      symbol: 'USDT',
      decimal: 6,
      tokenAddress: usdt.address,
      maxGasFee: 1.695,
      maxUnits: '1695000',
      maxGasFeeUSD: 1.695,
      exchangeRate: '3000000000',
      premiumPercentage: '13',
      validUntil,
    },
    {
      symbol: 'FIX',
      decimal: 18,
      tokenAddress: fixed.address,
      maxGasFee: 0.001,
      maxUnits: '1000000000000000',
      exchangeRate: '2000000000000000000',
      premiumPercentage: '0',
      validUntil,
      logoUrl: 'https://example.com/fix.svg',
    },
  ]);
  for (const quote of feeQuotes) expect(feeQuote.parse(quote)).toEqual(quote);
  expect(unsupportedTokens).toEqual([]);
});

test('an approval of the quote is enough for the operation that carries it', async () => {
  const { feeQuotes } = await quotes([usdt.address]);
  const withApproval = {
    ...op,
    callGasLimit: op.callGasLimit + 60_000n,
    preVerificationGas: op.preVerificationGas + 8000n,
  };
  const rate = { exchangeRate: 3_000_000_000n };
  const maxUnits = paymentTerms(contract, usdt, rate.exchangeRate).maxUnits(withApproval);
  const approved = BigInt(Math.ceil((feeQuotes[0]?.maxGasFee ?? 0) * 10 ** 6));
  expect(approved >= maxUnits).toBe(true);
});

test('tokens that were asked for come in that order, those not supported are named', async () => {
  const { feeQuotes, unsupportedTokens } = await quotes([
    fixed.address.toLowerCase() as Address,
    STRANGER,
    usdt.address,
  ]);
  expect(feeQuotes.map(({ symbol }) => symbol)).toEqual(['FIX', 'USDT']);
  expect(unsupportedTokens).toEqual([STRANGER]);
});

describe('a token whose feed has failed', () => {
  test('does not take the others with it', async () => {
    const { feeQuotes } = await quotes([], [usdt, fixed], failing);
    expect(feeQuotes.map(({ symbol }) => symbol)).toEqual(['FIX']);
  });

  test('is the error where no other was asked for', async () => {
    await expect(quotes([usdt.address, STRANGER], [usdt, fixed], failing)).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
      message: expect.stringContaining('which is not a price') as unknown,
    });
  });
});

test('a chain without fee tokens answers with no quotes, and does not fail', async () => {
  expect(await quotes([STRANGER], [])).toEqual({ feeQuotes: [], unsupportedTokens: [STRANGER] });
  expect(await quotes([], [])).toEqual({ feeQuotes: [], unsupportedTokens: [] });
});
