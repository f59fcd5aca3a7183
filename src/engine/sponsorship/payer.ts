import { isDeepStrictEqual } from 'node:util';
import { paymentTerms } from '../../core/token-mode/payment-terms.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { TokenRate } from '../chain/rates/rate.ts';
import type { Rates } from '../chain/rates/rates.ts';
import type { RpcClient } from '../chain/rpc.ts';
import { ensureVerified } from '../paymaster/verify-contract.ts';
import { type ReadyPaymaster, requireReady, requireTokenReady } from '../paymaster/readiness.ts';
import { signerKey } from '../signer/chain-signer.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';
import { requireFeeToken } from '../token-mode/fee-token-choice.ts';
import type { ReadyPaymentTerms } from '../token-mode/ready-payment-terms.ts';
import type { CurrentPolicy } from './current-policy.ts';
import type { SponsorshipRequest } from './request-record.ts';

export interface PayerContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly chains: ChainAccess;
  readonly rates: Pick<Rates, 'rateOf' | 'coinPrice' | 'coinPriceNow'>;
}

/** The payer of an operation, and the verified contract for which the operation is signed. */
export interface Payer {
  readonly ready: ReadyPaymaster;
  readonly payment: ReadyPaymentTerms | undefined;
  readonly rate: TokenRate | undefined;
  readonly rpc: RpcClient | undefined;
}

/** The values on which signing and estimating depend. The signing key is compared separately. */
const termsOf = ({ ready, payment, rate, rpc }: Payer) => ({
  contract: ready.contract,
  signer: ready.signer,
  fundingWallet: ready.fundingWallet,
  token: payment?.token,
  treasury: payment?.treasury,
  exchangeRate: rate?.exchangeRate,
  node: rpc?.url,
});

/** True if results for one payer are valid for the other, and both sign the same data. */
export const isSamePayer = (one: Payer, other: Payer): boolean =>
  one.ready.key.reveal() === other.ready.key.reveal() && isDeepStrictEqual(termsOf(one), termsOf(other));

/** True while the vault returns the same secret, which means that the key has not changed. */
const isKeyOf = (vault: Vault, { chainId, signer, key }: ReadyPaymaster): boolean =>
  vault.state === 'unlocked' && signerKey(vault, chainId, signer) === key;

/** True while the vault is unlocked and contains the payer's key. Call it right before signing. */
export const holdsKey = (vault: Vault, { chainId, signer, key }: ReadyPaymaster): boolean =>
  vault.state === 'unlocked' && signerKey(vault, chainId, signer)?.reveal() === key.reveal();

/**
 * Payers of sponsored operations, by the settings that they were found for. They depend on nothing else but the vault,
 * which hands out other secrets after each change.
 */
const sponsoring = new WeakMap<CurrentPolicy, Payer>();

/**
 * Finds the payer of a request by its mode, under current settings. A sponsoring payer is found once for the same
 * settings and vault.
 *
 * @throws EngineError as {@link findPayer}
 */
export const findCurrentPayer = (
  context: PayerContext,
  current: CurrentPolicy,
  options: SponsorshipRequest['options'],
): Payer | Promise<Payer> => {
  const known = options.mode === 'ERC20' ? undefined : sponsoring.get(current);
  if (known !== undefined && isKeyOf(context.vault, known.ready)) return known;
  return findPayer(context, { dapp: current.dapp, options }).then((payer) => {
    if (payer.payment === undefined) sponsoring.set(current, payer);
    return payer;
  });
};

/**
 * Finds the payer of a request by its mode.
 *
 * @throws EngineError `FEE_TOKEN_REQUIRED`, `TOKEN_NOT_SUPPORTED`, `PAYMASTER_NOT_READY`, `VERSION_NOT_SUPPORTED`,
 *   `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE` (also for a rate) or `VAULT_LOCKED`
 */
export const findPayer = async (
  { store, vault, chains, rates }: PayerContext,
  { dapp, options }: Pick<SponsorshipRequest, 'dapp' | 'options'>,
): Promise<Payer> => {
  const { chainId } = dapp;
  if (options.mode !== 'ERC20') {
    const ready = await requireReady(store, vault, dapp);
    const rpc = await chains.rpc(chainId);
    await ensureVerified(store, rpc, ready);
    return { ready, payment: undefined, rate: undefined, rpc };
  }
  const token = requireFeeToken(await store.listFeeTokens(chainId), options.tokenInfo, dapp);
  const contract = await requireTokenReady(store, vault, dapp);
  const rpc = await chains.rpc(chainId);
  await ensureVerified(store, rpc, contract);
  const rate = await rates.rateOf(token);
  const payment = paymentTerms(contract, token, rate.exchangeRate);
  return { ready: payment.charging, payment, rate, rpc };
};
