import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { type RpcClient, RpcError } from '../chain/rpc.ts';
import { callFault } from '../paymaster/agreement.ts';
import { readBalance, readSenderNonce } from '../paymaster/contract-reads.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';

/** The chain's node, for what cannot be done without it. @throws EngineError `PAYMASTER_NOT_READY` */
export const requireRpc = (rpc: RpcClient | undefined, { chainId }: ReadyPaymaster): RpcClient => {
  if (rpc !== undefined) return rpc;
  const fix = `Run "gasdesk chain set ${chainId} --rpc URL".`;
  throw new EngineError('PAYMASTER_NOT_READY', `Chain ${chainId} has no RPC URL. ${fix}`, { missing: 'rpc', fix });
};

const asked = async <T>(ready: ReadyPaymaster, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    throw error instanceof RpcError ? callFault(ready, error) : error;
  }
};

/**
 * The paymaster's own nonce of the sender; undefined for contracts that do not hash it.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `PAYMASTER_NOT_READY` or `CONTRACT_MISMATCH`
 */
export const readNonce = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  sender: Address,
): Promise<bigint | undefined> => {
  if (!ready.layout.chainReads.includes('senderNonce')) return undefined;
  const { call } = requireRpc(rpc, ready);
  return asked(ready, () => readSenderNonce(call, ready.contract, sender));
};

/** What the tank holds; undefined where nobody can be asked. The contract guards its own money on chain. */
export const tankBalance = async (rpc: RpcClient | undefined, ready: ReadyPaymaster): Promise<bigint | undefined> => {
  if (rpc === undefined) return undefined;
  const { layout, contract, fundingWallet, entryPoint } = ready;
  const tank = { paymaster: contract, ...(fundingWallet !== undefined && { fundingWallet }) };
  try {
    return await asked(ready, () => readBalance(rpc.call, layout, tank, entryPoint));
  } catch (error) {
    if (error instanceof EngineError && error.code === 'CHAIN_UNREACHABLE') return undefined;
    throw error;
  }
};
