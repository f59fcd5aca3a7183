import type { ChainAccess } from '../chain/chain-access.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Store } from '../store/store.ts';
import type { PaymasterContract } from '../store/registry-store.ts';
import { requireVerified } from './verify-contract.ts';
import type { AttachableLayout } from '../../core/paymaster-layouts/layout.ts';

export interface AttachContext {
  readonly store: Pick<Store, 'findSigner' | 'savePaymasterContract'>;
  readonly chains: Pick<ChainAccess, 'rpc'>;
}

/**
 * Verifies a paymaster contract and attaches it for its version on a chain. If the chain has no node or no signer yet,
 * the contract is verified later, before its first use.
 *
 * @throws EngineError `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE`, `VAULT_LOCKED`
 */
export const attachContract = async (
  { store, chains }: AttachContext,
  chainId: number,
  layout: AttachableLayout,
  address: Address,
): Promise<PaymasterContract> => {
  const rpc = await chains.rpc(chainId);
  const signer = await store.findSigner(chainId);
  const checked = rpc !== undefined && signer !== undefined;
  if (checked) await requireVerified(rpc, { chainId, layout, contract: address, signer: signer.address });
  const contract: PaymasterContract = { chainId, version: layout.version, address, checked };
  await store.savePaymasterContract(contract);
  return contract;
};
