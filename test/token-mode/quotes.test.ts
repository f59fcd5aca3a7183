import { beforeEach, describe, expect, test } from 'vitest';
import { createRates } from '../../src/engine/chain/rates/rates.ts';
import { singleton06 } from '../../src/engine/paymaster/singleton-0.6.ts';
import type { ReadyTokenPaymaster } from '../../src/engine/paymaster/readiness.ts';
import { Secret } from '../../src/engine/secret.ts';
import { priceTokens, quoteSale } from '../../src/engine/token-mode/quote-tokens.ts';
import { tokenSale } from '../../src/engine/token-mode/token-sale.ts';
import { feeQuote } from '../../src/shared/schema/fee-token.ts';
import type { FeeToken } from '../../src/shared/schema/fee-token.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { useTokenWorld } from '../support/token-world.ts';

const world = useTokenWorld();
const PAYMASTER: Address = `0x${'9a'.repeat(20)}`;
const STRANGER: Address = `0x${'99'.repeat(20)}`;
const contract = (): ReadyTokenPaymaster => ({
  chainId: world().chainId,
  layout: singleton06.token!,
  entryPoint: PAYMASTER,
  contract: PAYMASTER,
  checked: true,
  signer: PAYMASTER,
  key: new Secret(`0x${'11'.repeat(32)}` as const),
  treasury: PAYMASTER,
});
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
const quotes = async (asked: readonly Address[] = [], supported = [world().feeToken(), fixed()]) => {
  const rates = createRates({ rpc: async () => world().rpc }, world().clock);
  const { priced, unsupportedTokens } = await priceTokens(rates, supported, asked);
  const sales = priced.map(({ token, rate }) => quoteSale(tokenSale(contract(), token, rate), rate, op, validUntil));
  return { feeQuotes: sales, unsupportedTokens };
};

beforeEach(() => world().price(3000n, 1n));

test('every token is quoted where none is named, in the shape that clients read', async () => {
  const { feeQuotes, unsupportedTokens } = await quotes();
  // (100,000 + 80,000 for an approval + 3 * 200,000 + 50,000 + 45,000) gas at 1 gwei
  expect(feeQuotes).toEqual([
    {
      symbol: 'USDT',
      decimal: 6,
      tokenAddress: world().token.address,
      maxGasFee: 2.96625,
      maxGasFeeUSD: 2.96625,
      exchangeRate: '3000000000',
      premiumPercentage: '13',
      validUntil,
    },
    {
      symbol: 'FIX',
      decimal: 18,
      tokenAddress: fixed().address,
      maxGasFee: 0.00175,
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
  const { feeQuotes } = await quotes([world().token.address]);
  const withApproval = {
    ...op,
    callGasLimit: op.callGasLimit + 60_000n,
    preVerificationGas: op.preVerificationGas + 8000n,
  };
  const rate = { exchangeRate: 3_000_000_000n };
  const maxUnits = tokenSale(contract(), world().feeToken(), rate).maxUnits(withApproval);
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
    const { feeQuotes } = await quotes();
    expect(feeQuotes.map(({ symbol }) => symbol)).toEqual(['FIX']);
  });

  test('is the error where no other was asked for', async () => {
    await expect(quotes([world().token.address, STRANGER])).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
      message: expect.stringContaining('which is no price') as unknown,
    });
  });
});

test('a chain without fee tokens answers with no quotes, and does not fail', async () => {
  expect(await quotes([STRANGER], [])).toEqual({ feeQuotes: [], unsupportedTokens: [STRANGER] });
  expect(await quotes([], [])).toEqual({ feeQuotes: [], unsupportedTokens: [] });
});
