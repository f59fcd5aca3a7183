import { EngineError } from '../../shared/errors.ts';
import { sameAddress } from '../../shared/schema/hex.ts';
import { requireNode } from '../chain/require-node.ts';
import { requireVerified } from '../paymaster/verify-contract.ts';
import { attachContract } from '../paymaster/attach.ts';
import { replacedWords } from '../paymaster/replaced-contract.ts';
import { signerKind } from '../../core/paymaster-layouts/layout.ts';
import { requireAttachable } from '../../core/paymaster-layouts/registry.ts';
import { nextSignerOf, useNextSigner } from '../paymaster/next-signer.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';
import type { ActionContext } from './action-context.ts';

/** Whether the contract's current signer is the chain's prepared key. @throws EngineError `VAULT_LOCKED` */
const acceptsNext = ({ vault }: ActionContext, { chainId, signer }: OperatorTransaction): boolean => {
  const next = nextSignerOf(vault, chainId);
  return next !== undefined && signer !== null && sameAddress(signer, next);
};

const useNext = (context: ActionContext, chainId: number, replacing?: Parameters<typeof useNextSigner>[2]) =>
  useNextSigner({ ...context, rpc: (id) => requireNode(context.chains, id) }, chainId, replacing);

const attachMade = async (context: ActionContext, made: OperatorTransaction): Promise<string> => {
  const { chainId, version, contract, signer } = made;
  if (contract === null || signer === null) return 'Mined, but it created no contract.';
  const layout = requireAttachable(version);
  const replaced = await replacedWords(context, chainId, layout, contract);
  const more = replaced === null ? '' : ` ${replaced}`;
  if (signerKind(layout) !== 'fixed' || !acceptsNext(context, made)) {
    await attachContract(context, chainId, layout, contract);
    return `The contract ${contract} is deployed and attached.${more}`;
  }
  const rpc = await requireNode(context.chains, chainId);
  await requireVerified(rpc, { chainId, layout, contract, signer });
  await useNext(context, chainId, { chainId, version, address: contract });
  return `The contract ${contract} is deployed and attached, and ${signer} signs from now on.${more}`;
};

const switchSigner = async (context: ActionContext, accepted: OperatorTransaction): Promise<string> => {
  const { chainId, version, signer } = accepted;
  const isReplaced = signerKind(requireAttachable(version)) === 'one';
  if (!isReplaced || !acceptsNext(context, accepted)) return `The contract accepts ${String(signer)}.`;
  await useNext(context, chainId);
  return `The contract accepts ${String(signer)}, which signs from now on.`;
};

const bringAbout = async (context: ActionContext, mined: OperatorTransaction): Promise<string> => {
  switch (mined.kind) {
    case 'deposit':
      return 'The deposit is in the tank.';
    case 'withdraw':
      return 'The withdrawal is paid out.';
    case 'deploy':
      return attachMade(context, mined);
    case 'acceptSigner':
      return switchSigner(context, mined);
    case 'removeSigner':
      return `The contract no longer accepts ${String(mined.signer)}.`;
    case 'addStake':
      return 'The stake is at the EntryPoint.';
    case 'unlockStake':
      return 'The delay of the stake has begun.';
    case 'withdrawStake':
      return 'The stake is paid out.';
    case 'deployCanonical':
      return 'It is on the chain.';
    case 'handleOps':
      return 'The operation is in a block.';
  }
};

/**
 * Applies the effects of a mined transaction, and describes the result. May be called again after a crash.
 *
 * @returns a description of the result, even of an unexpected one
 * @throws EngineError `CHAIN_UNREACHABLE`, `VAULT_LOCKED`, `RPC_MISSING`, after which the caller should retry; RpcError
 */
export const applyEffects = async (context: ActionContext, mined: OperatorTransaction): Promise<string> => {
  try {
    return await bringAbout(context, mined);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'CONTRACT_MISMATCH') return `Mined. ${error.message}`;
    throw error;
  }
};
