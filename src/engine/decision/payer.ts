import type { ChainAccess } from '../chain/chain-access.ts';
import type { Rates } from '../chain/rates/rates.ts';
import type { RpcClient } from '../chain/rpc.ts';
import { ensureAgreement } from '../paymaster/agreement.ts';
import { type ReadyPaymaster, requireReady, requireTokenReady } from '../paymaster/readiness.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';
import { requireFeeToken } from '../token-mode/fee-token-choice.ts';
import { type TokenSale, tokenSale } from '../token-mode/token-sale.ts';
import type { SponsorshipRequest } from './decision-draft.ts';

/** What finding the payer works with. */
export interface PayerContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly chains: ChainAccess;
  readonly rates: Pick<Rates, 'rateOf'>;
}

/** Who pays for an operation, and the contract that signs for it, found to be the one it is taken for. */
export interface Payer {
  readonly ready: ReadyPaymaster;
  /** How the user pays; undefined where the operation is sponsored. */
  readonly sale: TokenSale | undefined;
  /** The chain's node; undefined without an RPC URL. */
  readonly rpc: RpcClient | undefined;
}

/**
 * Finds the payer of a request by its mode.
 *
 * @throws EngineError `FEE_TOKEN_REQUIRED`, `TOKEN_NOT_SUPPORTED`, `PAYMASTER_NOT_READY`, `VERSION_NOT_SUPPORTED`,
 *   `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE` (also for a rate) or `VAULT_LOCKED`
 */
export const findPayer = async (
  { store, vault, chains, rates }: PayerContext,
  { paymaster, options }: Pick<SponsorshipRequest, 'paymaster' | 'options'>,
): Promise<Payer> => {
  const { chainId } = paymaster;
  if (options.mode !== 'ERC20') {
    const ready = await requireReady(store, vault, paymaster);
    const rpc = await chains.rpc(chainId);
    await ensureAgreement(store, rpc, ready);
    return { ready, sale: undefined, rpc };
  }
  const token = requireFeeToken(await store.listFeeTokens(chainId), options.tokenInfo);
  const contract = await requireTokenReady(store, vault, paymaster);
  const rpc = await chains.rpc(chainId);
  await ensureAgreement(store, rpc, contract);
  const sale = tokenSale(contract, token, await rates.rateOf(token));
  return { ready: sale.ready, sale, rpc };
};
