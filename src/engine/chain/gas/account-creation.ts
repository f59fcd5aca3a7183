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
import { revertReason, toldOf } from './failure.ts';

/** The EntryPoint refuses to pay this address, after everything else: the call never succeeds (AA90). */
const BENEFICIARY = ZeroAddress as Address;

/** What costs: an operation before it is decided has no paymaster, so nobody sees anything signed. */
const free = { callGasLimit: 0n, preVerificationGas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n } as const;

const freeBundle = (op: UserOperation): Hex =>
  handleOpsCall({ ...withAnySignature(op), ...free, sender: addressKey(op.sender) }, BENEFICIARY);

/** Above this limit, the call may have less gas for the factory than a bundle would have. */
const MOST_OFFERED_GAS = (CALL_GAS * 5n) / 6n;

/** Of the beneficiary the EntryPoint says so by `Error(string)`. Nobody else's text comes through `handleOps` as it is. */
const aaCodeOf = ({ data = '0x', message }: RpcError): string | undefined =>
  data === '0x' ? aaCodeIn(message) : (toldOf(data).aaCode ?? aaCodeIn(revertReason(data)));

const failureOf = (
  aaCode: string | undefined,
  { verificationGasLimit }: UserOperation,
): CreationFailure | undefined => {
  if (aaCode === 'AA13') return verificationGasLimit > MOST_OFFERED_GAS ? undefined : aaCode;
  return aaCode === 'AA14' || aaCode === 'AA15' ? aaCode : undefined;
};

/** What an EntryPoint says of the account of an operation. */
export interface AccountTrial {
  /** Why it cannot make the account; undefined where it can, need not, or does not say. */
  readonly creationFailure: CreationFailure | undefined;
  /** False where the account fails to validate the operation with a signature of nobody, or the node does not say. */
  readonly isValidated: boolean;
}

/**
 * Tries creation and validation by one `eth_call` of `handleOps`: it creates the account as a bundle would, through the
 * EntryPoint's SenderCreator and with the operation's `verificationGasLimit`, and has it validate. What comes later, such
 * as who pays (AA21) or what the account says of the signature (AA24), says nothing here. No node needs state overrides.
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
