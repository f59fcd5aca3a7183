import { ZeroAddress } from 'ethers';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import type { CreationFailure } from '../../../core/rules/validity.ts';
import { aaCodeIn } from '../../../core/entry-points/registry.ts';
import { handleOpsCall } from '../../../core/user-operation/abi.ts';
import { RpcError, hasReverted } from '../rpc.ts';
import type { RpcClient } from '../rpc.ts';
import { withAnySignature } from './account-calls.ts';
import { CALL_GAS, callWithAmpleGas } from './eth-call.ts';
import { revertReason, publicFailureOf } from './failure.ts';

/** The EntryPoint refuses to pay this address as its last step, so the call never succeeds (AA90). */
const BENEFICIARY = ZeroAddress as Address;

/** All costs are zero. Before the decision an operation has no paymaster, so nothing signed is shown. */
const free = { callGasLimit: 0n, preVerificationGas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n } as const;

const freeBundle = (op: UserOperation): Hex =>
  handleOpsCall({ ...withAnySignature(op), ...free, sender: addressKey(op.sender) }, BENEFICIARY);

/** Above this limit, the call may have less gas for the factory than a bundle would. */
const MAX_OFFERED_GAS = (CALL_GAS * 5n) / 6n;

/**
 * The EntryPoint reports the beneficiary with `Error(string)`. No other contract's text passes `handleOps` unchanged.
 */
const aaCodeOf = ({ data = '0x', message }: RpcError): string | undefined =>
  data === '0x' ? aaCodeIn(message) : (publicFailureOf(data).aaCode ?? aaCodeIn(revertReason(data)));

const failureOf = (
  aaCode: string | undefined,
  { verificationGasLimit }: UserOperation,
): CreationFailure | undefined => {
  if (aaCode === 'AA13') return verificationGasLimit > MAX_OFFERED_GAS ? undefined : aaCode;
  return aaCode === 'AA14' || aaCode === 'AA15' ? aaCode : undefined;
};

/** An EntryPoint's result for the account of an operation. */
export interface AccountTrial {
  /** Why it cannot create the account; undefined if it can, need not, or does not say. */
  readonly creationFailure: CreationFailure | undefined;
  /** False if the account fails to validate the operation with a dummy signature, or the node does not say. */
  readonly isValidated: boolean;
}

/**
 * Tries creation and validation with one `eth_call` of `handleOps`. It creates the account as a bundle would, through
 * the EntryPoint's SenderCreator and with the operation's `verificationGasLimit`, and runs its validation. Later
 * errors, such as the payer's (AA21) or an invalid signature (AA24), are ignored. Needs no state overrides.
 *
 * @throws RpcError if the node refuses the call
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const tryAccount = async (rpc: RpcClient, entryPoint: Address, op: UserOperation): Promise<AccountTrial> => {
  try {
    await callWithAmpleGas(rpc, entryPoint, freeBundle(op));
  } catch (error) {
    if (!(error instanceof RpcError) || !hasReverted(error)) throw error;
    const aaCode = aaCodeOf(error);
    return { creationFailure: failureOf(aaCode, op), isValidated: aaCode !== undefined && aaCode !== 'AA23' };
  }
  return { creationFailure: undefined, isValidated: true };
};
