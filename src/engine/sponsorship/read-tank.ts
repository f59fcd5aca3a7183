import { type RpcClient, RpcError } from '../chain/rpc.ts';
import { UnexpectedAnswer, readBalance } from '../paymaster/contract-reads.ts';
import type { Tank } from '../paymaster/readiness.ts';
import { callError } from '../paymaster/verify-contract.ts';

/**
 * Reads from a contract or the node. Converts a refusal to an error of the chain or of the contract.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const withCallErrors = async <T>(ready: Tank, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    throw error instanceof RpcError || error instanceof UnexpectedAnswer ? callError(ready, error) : error;
  }
};

/**
 * The tank's balance, wei.
 *
 * @throws EngineError `CHAIN_UNREACHABLE`, `CONTRACT_MISMATCH` or `PAYMASTER_NOT_READY`
 */
export const readTank = (rpc: RpcClient, ready: Tank): Promise<bigint> => {
  const { layout, contract, fundingWallet, entryPoint } = ready;
  const tank = { paymaster: contract, ...(fundingWallet !== undefined && { fundingWallet }) };
  return withCallErrors(ready, () => readBalance(rpc.call, layout, tank, entryPoint));
};
