import { fixes } from '../base/fixes.ts';
import { EngineError } from '../../shared/errors.ts';
import type { ChainAccess } from './chain-access.ts';
import type { RpcClient } from './rpc.ts';

/** The chain's node, for an action of the operator. @throws EngineError `RPC_MISSING`, `VAULT_LOCKED` */
export const requireNode = async (chains: Pick<ChainAccess, 'rpc'>, chainId: number): Promise<RpcClient> => {
  const rpc = await chains.rpc(chainId);
  if (rpc !== undefined) return rpc;
  throw new EngineError('RPC_MISSING', `Chain ${chainId} has no RPC URL. ${fixes.setRpc(chainId)}`);
};
