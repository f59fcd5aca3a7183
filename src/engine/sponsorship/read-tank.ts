import type { RpcClient } from '../chain/rpc.ts';
import { readBalance } from '../paymaster/contract-reads.ts';
import type { Tank } from '../paymaster/readiness.ts';
import { withCallErrors } from '../paymaster/verify-contract.ts';

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
