import { entryPoints } from '../../core/entry-points/registry.ts';
import { type PaymasterGas, splitPaymasterAndData } from '../../core/user-operation/paymaster-fields.ts';
import { rateWithPremium } from '../../core/token-mode/amounts.ts';
import { type TokenLayout, stubPaymasterAndData } from '../../core/paymaster-layouts/layout.ts';
import { WEI_PER_COIN } from '../../core/paymaster-layouts/token-charge.ts';
import type { Reason } from '../../core/decision/decide.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type EntryPointVersion, type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { type ReadyPaymaster, requireReady, requireTokenReady } from '../paymaster/readiness.ts';
import type { Dapp } from '../store/registry-store.ts';
import { type PricedToken, priceTokens } from '../token-mode/quote-tokens.ts';
import { tokenModeDenial } from '../token-mode/token-mode-denial.ts';
import type { DecisionContext } from './decision-context.ts';

/** The terms of a token that clients can read before any request. */
export interface TokenTerms {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
  /** Smallest units of the token for 1e18 wei, premium included. */
  readonly exchangeRate: bigint;
  /** Maximum gas that is charged in addition to the operation's own gas. */
  readonly postOpGas: bigint;
  /** Millionths of a USD for 1e18 wei; 0 if unknown. */
  readonly nativeToUsd: bigint;
}

/** The tokens in which users of a DApp may pay, and paymaster data to estimate with. */
export interface FeeTokens {
  readonly paymasterAddress: Address;
  /** A sponsored operation with the gas limits of a token payment; undefined if sponsorship is impossible. */
  readonly dummy: { readonly op: UserOperation; readonly paymasterAndData: Hex } | undefined;
  readonly tokens: readonly TokenTerms[];
  /** Why users cannot pay in tokens; undefined if they can. */
  readonly reason: Reason | undefined;
}

const emptyOperation = (version: EntryPointVersion, limits: Partial<PaymasterGas> = {}): UserOperation => {
  const gas = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n };
  const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const fields = {
    sender: `0x${'00'.repeat(20)}`,
    nonce: 0n,
    callData: '0x',
    signature: '0x',
    ...gas,
    ...fees,
  } as const;
  return { ...fields, ...entryPoints[version].emptyFields, ...limits };
};

/** Clients keep this data for estimates, so it never expires. */
const ALWAYS = { validAfter: 0, validUntil: 2 ** 48 - 1 };

const dummyOf = (
  { layout, chainId, contract, fundingWallet }: ReadyPaymaster,
  limits?: PaymasterGas,
): FeeTokens['dummy'] => {
  const op = emptyOperation(layout.entryPointVersion, limits ?? layout.paymasterGas);
  const terms = { chainId, paymaster: contract, ...ALWAYS, ...(fundingWallet !== undefined && { fundingWallet }) };
  const paymasterAndData = stubPaymasterAndData(layout, op, terms);
  return { op: isV06(op) ? op : { ...op, ...splitPaymasterAndData(paymasterAndData) }, paymasterAndData };
};

/** The charge at 1 wei per gas and one unit per wei, without the paymaster's limits. */
const postOpGasOf = (layout: TokenLayout, preFunded: boolean): bigint => {
  const op = emptyOperation(layout.entryPointVersion, layout.paymasterGas);
  const price = { ...layout.chargedGas(op, { preFunded }), exchangeRate: WEI_PER_COIN };
  const { paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit = 0n } = layout.paymasterGas ?? {};
  return layout.maxTokenCost(op, price) - paymasterVerificationGasLimit - paymasterPostOpGasLimit;
};

const MILLION = 1_000_000n;

const nativeToUsd = ({ token, rate: { exchangeRate, usd } }: PricedToken): bigint =>
  usd === undefined ? 0n : (exchangeRate * usd.price * MILLION) / 10n ** BigInt(token.decimals + usd.decimals);

const unlessUnready = async <T>(ready: Promise<T>): Promise<T | undefined> => {
  try {
    return await ready;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'PAYMASTER_NOT_READY') return undefined;
    throw error;
  }
};

/**
 * The data that clients read before any request, with or without tokens.
 *
 * @throws EngineError `PAYMASTER_NOT_READY` if neither sponsorship nor tokens are available; `VAULT_LOCKED`,
 * `VERSION_NOT_SUPPORTED`; `CHAIN_UNREACHABLE` if no token has a rate
 */
export const readFeeTokens = async ({ store, vault, rates }: DecisionContext, dapp: Dapp): Promise<FeeTokens> => {
  const reason = tokenModeDenial(dapp);
  const taking = reason === undefined ? await unlessUnready(requireTokenReady(store, vault, dapp)) : undefined;
  const sponsoring = requireReady(store, vault, dapp);
  if (taking === undefined) {
    const ready = await sponsoring;
    return { paymasterAddress: ready.contract, dummy: dummyOf(ready), tokens: [], reason };
  }
  const { contract, layout } = taking;
  const ready = await unlessUnready(sponsoring);
  const { priced } = await priceTokens(rates, await store.listFeeTokens(dapp.chainId), []);
  const tokens = priced.map(({ token, rate }) => ({
    address: token.address,
    symbol: token.symbol,
    decimals: token.decimals,
    exchangeRate: rateWithPremium(rate.exchangeRate, token.premium),
    postOpGas: postOpGasOf(layout, token.preFund && layout.preFundGas !== undefined),
    nativeToUsd: nativeToUsd({ token, rate }),
  }));
  return { paymasterAddress: contract, dummy: ready && dummyOf(ready, layout.paymasterGas), tokens, reason };
};
