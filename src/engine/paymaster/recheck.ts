import { EngineError } from '../../shared/errors.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import type { PaymasterContract } from '../store/registry-store.ts';
import { requireVerified } from './verify-contract.ts';
import { requireAttachable } from '../../core/paymaster-layouts/registry.ts';

export interface RecheckContext {
  readonly store: Pick<
    Store,
    'listPaymasterContracts' | 'findPaymasterContract' | 'findSigner' | 'savePaymasterContract'
  >;
  readonly chains: Pick<ChainAccess, 'rpc'>;
  readonly log: Log;
}

/** True if the contract reports a different hash or signer. Without an answer from the chain, it is false. */
const disagrees = async ({ store, chains }: RecheckContext, contract: PaymasterContract): Promise<boolean> => {
  const { chainId, version, address } = contract;
  try {
    const [signer, rpc] = [await store.findSigner(chainId), await chains.rpc(chainId)];
    if (signer === undefined || rpc === undefined) return false;
    const layout = requireAttachable(version);
    await requireVerified(rpc, { chainId, layout, contract: address, signer: signer.address });
    return false;
  } catch (error) {
    return error instanceof EngineError && error.code === 'CONTRACT_MISMATCH';
  }
};

/**
 * Verifies contracts again, because their owners may have changed the signers. A contract that fails is verified before
 * each signature until it passes.
 */
export const recheckContracts = async (context: RecheckContext): Promise<void> => {
  const { store, log } = context;
  for (const contract of await store.listPaymasterContracts()) {
    if (!contract.checked || !(await disagrees(context, contract))) continue;
    const { chainId, version, address } = contract;
    const attached = await store.findPaymasterContract(chainId, version);
    if (attached?.address !== address) continue;
    await store.savePaymasterContract({ ...contract, checked: false });
    log.warn('contract.disagrees', { chainId });
  }
};
