import { expect, test } from 'vitest';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { UserOperationV06, UserOperationV07 } from '../../shared/schema/user-operation.ts';
import { tokenTerms } from './token-terms.ts';

const ADDRESS = `0x${'9a'.repeat(20)}` as const;
const TREASURY = `0x${'7e'.repeat(20)}` as const;
const token: FeeToken = {
  chainId: 1,
  address: `0x${'a0'.repeat(20)}`,
  symbol: 'USDC',
  decimals: 6,
  premium: '13',
  rate: { source: 'static', tokensPerCoin: '3000' },
  preFund: false,
  logoUrl: null,
};
const rate = { exchangeRate: 3_000_000_000n };
const gas = { callGasLimit: 100_000n, verificationGasLimit: 200_000n, preVerificationGas: 50_000n };
const fees = { maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 1n };
const base = { sender: ADDRESS, nonce: 0n, callData: '0x', signature: '0x', ...gas, ...fees } as const;
const op06: UserOperationV06 = { ...base, initCode: '0x', paymasterAndData: '0x' };
const op07: UserOperationV07 = {
  ...base,
  paymasterVerificationGasLimit: 100_000n,
  paymasterPostOpGasLimit: 90_000n,
};
const contract = (kind: 'singleton-0.6' | 'singleton-0.7' | 'singleton-0.8' | 'biconomy-token-0.6') => ({
  kind,
  address: ADDRESS,
  treasury: TREASURY,
});

test('a singleton gets the premium within its exchange rate, and charges up to all gas and its own postOp', () => {
  expect(tokenTerms({ contract: contract('singleton-0.6'), op: op06, token, rate })).toEqual({
    layout: 'singleton',
    token: token.address,
    exchangeRate: 3_390_000_000n,
    // (100,000 + 3 * 200,000 + 50,000 + 60,000) gas at 1 gwei, at 3390 USDC for a coin
    maxUnits: 2_745_900n,
    postOpGas: 60_000n,
    paymasterValidationGasLimit: 30_000n,
    treasury: TREASURY,
  });
});

test("Biconomy's contract gets the premium as its markup, and charges its own overhead", () => {
  expect(tokenTerms({ contract: contract('biconomy-token-0.6'), op: op06, token, rate })).toEqual({
    layout: 'biconomy-token',
    token: token.address,
    exchangeRate: 3_000_000_000n,
    priceMarkup: 1_130_000n,
    maxUnits: 2_695_050n, // 795,000 gas
  });
});

test.each(['singleton-0.7', 'singleton-0.8'] as const)(
  '%s: the limits of the paymaster itself are paid for, too',
  (kind) => {
    const { maxUnits } = tokenTerms({ contract: contract(kind), op: op07, token, rate });
    expect(maxUnits).toBe(2_034_000n); // 600,000 gas
  },
);

test('up front as much is taken as the contract allows, and not a unit more: it would refuse the operation', () => {
  const op = { ...op06, maxFeePerGas: 1_000_000_001n };
  const terms = tokenTerms({ contract: contract('singleton-0.6'), op, token: { ...token, preFund: true }, rate });
  // 750,000 gas at 1.000000001 gwei: 2542500.0025 units
  expect(terms).toMatchObject({ preFund: 2_542_500n });
});

test('an operation without fees costs nothing, and is no reason to fail', () => {
  const op = { ...op07, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  expect(tokenTerms({ contract: contract('singleton-0.7'), op, token, rate }).maxUnits).toBe(0n);
});
