import { beforeEach, describe, expect, test } from 'vitest';
import { createRates } from '../../src/engine/chain/rates/rates.ts';
import { quoteTokens } from '../../src/engine/token-mode/quote-tokens.ts';
import { tokenTerms } from '../../src/engine/token-mode/token-terms.ts';
import { feeQuote } from '../../src/shared/schema/fee-token.ts';
import type { FeeToken } from '../../src/shared/schema/fee-token.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { useTokenWorld } from '../support/token-world.ts';

const world = useTokenWorld();
const PAYMASTER: Address = `0x${'9a'.repeat(20)}`;
const STRANGER: Address = `0x${'99'.repeat(20)}`;
const contract = { kind: 'singleton-0.6', address: PAYMASTER, treasury: PAYMASTER } as const;
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
const fixed = (): FeeToken =>
  world().feeToken({
    address: `0x${'Fe'.repeat(20)}`,
    symbol: 'FIX',
    decimals: 18,
    premium: '0',
    rate: { source: 'static', tokensPerCoin: '2' },
    logoUrl: 'https://example.com/fix.svg',
  });
const quotes = (asked: readonly Address[] = [], supported = [world().feeToken(), fixed()]) =>
  quoteTokens(createRates({ rpc: async () => world().rpc }, world().clock), {
    ...{ contract, op, supported, asked, validUntil },
  });

beforeEach(() => world().price(3000n, 1n));

test('every token is quoted where none is named, in the shape that clients read', async () => {
  const { feeQuotes, unsupportedTokens, unpriced } = await quotes();
  // (100,000 + 80,000 for an approval + 3 * 200,000 + 50,000 + 60,000) gas at 1 gwei
  expect(feeQuotes).toEqual([
    {
      symbol: 'USDT',
      decimal: 6,
      tokenAddress: world().token.address,
      maxGasFee: 3.0171,
      maxGasFeeUSD: 3.0171,
      exchangeRate: '3000000000',
      premiumPercentage: '13',
      validUntil,
    },
    {
      symbol: 'FIX',
      decimal: 18,
      tokenAddress: fixed().address,
      maxGasFee: 0.00178,
      exchangeRate: '2000000000000000000',
      premiumPercentage: '0',
      validUntil,
      logoUrl: 'https://example.com/fix.svg',
    },
  ]);
  for (const quote of feeQuotes) expect(feeQuote.parse(quote)).toEqual(quote);
  expect({ unsupportedTokens, unpriced }).toEqual({ unsupportedTokens: [], unpriced: [] });
});

test('an approval of the quote is enough for the operation that carries it', async () => {
  const { feeQuotes } = await quotes([world().token.address]);
  const withApproval = {
    ...op,
    callGasLimit: op.callGasLimit + 60_000n,
    preVerificationGas: op.preVerificationGas + 8000n,
  };
  const rate = { exchangeRate: 3_000_000_000n };
  const { maxUnits } = tokenTerms({ contract, op: withApproval, token: world().feeToken(), rate });
  const approved = BigInt(Math.ceil((feeQuotes[0]?.maxGasFee ?? 0) * 10 ** 6));
  expect(approved >= maxUnits).toBe(true);
});

test('tokens that were asked for come in that order, those not supported are named', async () => {
  const { feeQuotes, unsupportedTokens } = await quotes([
    fixed().address.toLowerCase() as Address,
    STRANGER,
    world().token.address,
  ]);
  expect(feeQuotes.map(({ symbol }) => symbol)).toEqual(['FIX', 'USDT']);
  expect(unsupportedTokens).toEqual([STRANGER]);
});

describe('a token whose feed has failed', () => {
  beforeEach(() => world().tokenFeed.send('set', [0n, world().clock.now() / 1000]));

  test('does not take the others with it', async () => {
    const { feeQuotes, unpriced } = await quotes();
    expect(feeQuotes.map(({ symbol }) => symbol)).toEqual(['FIX']);
    expect(unpriced).toEqual([
      { token: world().token.address, message: expect.stringContaining('the token/USD feed') as unknown },
    ]);
  });

  test('is the error where no other was asked for', async () => {
    await expect(quotes([world().token.address, STRANGER])).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
      message: expect.stringContaining('which is no price') as unknown,
    });
  });
});

test('a chain without fee tokens answers with no quotes, and does not fail', async () => {
  expect(await quotes([STRANGER], [])).toEqual({ feeQuotes: [], unsupportedTokens: [STRANGER], unpriced: [] });
  expect(await quotes([], [])).toEqual({ feeQuotes: [], unsupportedTokens: [], unpriced: [] });
});
