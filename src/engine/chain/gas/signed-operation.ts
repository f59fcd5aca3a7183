import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import { aaCodeIn } from '../../../core/entry-points/registry.ts';
import { handleOpsCall } from '../../../core/user-operation/abi.ts';
import { type RpcClient, RpcError, hasReverted } from '../rpc.ts';
import { withAuthorization } from './delegation.ts';
import { callWithAmpleGas, callWithOverride } from './eth-call.ts';
import { publicFailureOf } from './failure.ts';

/** Any address except zero. The call never reaches the point at which this address would be paid. */
const BENEFICIARY: Address = `0x${'01'.repeat(20)}`;

/**
 * The EntryPoint reports these codes only if it accepts everything else. They do not concern the account: the
 * paymaster's signature is a placeholder, and the rule on the gas tank checks the deposit.
 */
const NOT_OF_THE_ACCOUNT: readonly string[] = ['AA34', 'AA31'];

/**
 * Why the EntryPoint rejects an operation with its account's signature: an AA code, or the selector of an error.
 * Simulated with one `eth_call` of `handleOps`. Undefined if only the paymaster's signature is missing.
 *
 * @param op with the account's signature, and with a placeholder for the paymaster's signature, which the operation's
 * hash does not cover
 * @throws RpcError if the node refuses the call
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const trySigned = async (
  rpc: RpcClient,
  entryPoint: Address,
  op: UserOperation,
): Promise<string | undefined> => {
  const data = handleOpsCall({ ...op, sender: addressKey(op.sender) }, BENEFICIARY);
  const state = withAuthorization(op);
  try {
    if (Object.keys(state).length === 0) await callWithAmpleGas(rpc, entryPoint, data);
    else await callWithOverride(rpc, entryPoint, data, state);
  } catch (error) {
    if (!(error instanceof RpcError) || !hasReverted(error)) throw error;
    const { data: reverted = '0x', message } = error;
    const failure = publicFailureOf(reverted);
    const code = failure.aaCode ?? aaCodeIn(message);
    return NOT_OF_THE_ACCOUNT.includes(code ?? '') ? undefined : (code ?? failure.error?.selector ?? '0x');
  }
  return undefined;
};
