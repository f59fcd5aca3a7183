import { ZeroAddress, id } from 'ethers';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import type { CreationFailure } from '../../../core/rules/validity.ts';
import { aaCodeIn } from '../../../core/entry-points/registry.ts';
import { handleOpsCall } from '../../../core/user-operation/abi.ts';
import { RpcError, hasReverted } from '../rpc.ts';
import type { RpcClient } from '../rpc.ts';
import { withAnySignature } from './account-calls.ts';
import { callGasOf, callWithAmpleGas } from './eth-call.ts';
import { revertReason, publicFailureOf } from './failure.ts';

/**
 * As its last step, the EntryPoint refuses to pay this address, so the call never succeeds: AA90, or from v0.9 on
 * `InvalidBeneficiary(address)`.
 */
const BENEFICIARY = ZeroAddress as Address;
const INVALID_BENEFICIARY = id('InvalidBeneficiary(address)').slice(0, 10);

/**
 * With these values the operation costs nothing. It has no paymaster before the decision, so the call reveals no
 * signature of Gasdesk.
 */
const free = { callGasLimit: 0n, preVerificationGas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n } as const;

const freeBundle = (op: UserOperation): Hex =>
  handleOpsCall({ ...withAnySignature(op), ...free, sender: addressKey(op.sender) }, BENEFICIARY);

/** With a higher limit, the factory may get less gas in the call than it would in a bundle. */
const maxOfferedGas = (rpc: RpcClient): bigint => (callGasOf(rpc) * 5n) / 6n;

/**
 * The AA code in an error of the call. The EntryPoint reports the refused beneficiary with `Error(string)`, and never
 * passes on the text of another contract unchanged.
 */
const aaCodeOf = ({ data = '0x', message }: RpcError): string | undefined =>
  data === '0x' ? aaCodeIn(message) : (publicFailureOf(data).aaCode ?? aaCodeIn(revertReason(data)));

const failureOf = (
  rpc: RpcClient,
  aaCode: string | undefined,
  { verificationGasLimit }: UserOperation,
): CreationFailure | undefined => {
  if (aaCode === 'AA13') return verificationGasLimit > maxOfferedGas(rpc) ? undefined : aaCode;
  return aaCode === 'AA14' || aaCode === 'AA15' ? aaCode : undefined;
};

/** What an EntryPoint does with the account of an operation. */
export interface AccountTrial {
  /** Why the account cannot be created; undefined if it can be, need not be, or if the node does not say. */
  readonly creationFailure: CreationFailure | undefined;
  /** False if the account fails to validate the operation with a dummy signature, or if the node does not say. */
  readonly isValidated: boolean;
}

/**
 * Simulates creation and validation with one `eth_call` of `handleOps`. It creates the account as a bundle would,
 * through the EntryPoint's SenderCreator and with the operation's `verificationGasLimit`, and runs its validation.
 * Later errors, such as a missing payment (AA21) or an invalid signature (AA24), are ignored. State overrides are not
 * necessary.
 *
 * @throws RpcError if the node refuses the call
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const tryAccount = async (rpc: RpcClient, entryPoint: Address, op: UserOperation): Promise<AccountTrial> => {
  try {
    await callWithAmpleGas(rpc, entryPoint, freeBundle(op));
  } catch (error) {
    if (!(error instanceof RpcError) || !hasReverted(error)) throw error;
    const aaCode = error.data?.startsWith(INVALID_BENEFICIARY) ? 'AA90' : aaCodeOf(error);
    return { creationFailure: failureOf(rpc, aaCode, op), isValidated: aaCode !== undefined && aaCode !== 'AA23' };
  }
  return { creationFailure: undefined, isValidated: true };
};
