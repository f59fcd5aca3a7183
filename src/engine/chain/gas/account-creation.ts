import { Interface, ZeroAddress } from 'ethers';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { isV06 } from '../../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import type { CreationFailure } from '../../../core/rules/validity.ts';
import { aaCodeIn } from '../../../core/user-operation/aa-codes.ts';
import { PACKED_USER_OPERATION_ABI, USER_OPERATION_V06_ABI } from '../../../core/user-operation/abi.ts';
import { packUserOperation } from '../../../core/user-operation/pack-user-operation.ts';
import { RpcError, hasReverted } from '../rpc.ts';
import type { RpcClient } from '../rpc.ts';
import { CALL_GAS, callWithAmpleGas } from './eth-call.ts';
import { toldOf } from './failure.ts';

const v06Abi = new Interface([`function handleOps(${USER_OPERATION_V06_ABI}[] ops, address beneficiary)`]);
const v07Abi = new Interface([`function handleOps(${PACKED_USER_OPERATION_ABI}[] ops, address beneficiary)`]);

/** The EntryPoint refuses to pay this address, after everything else: the call never succeeds (AA90). */
const BENEFICIARY = ZeroAddress;

/** What is not the creation: an operation before it is decided has no paymaster, so nobody sees anything signed. */
const bare = {
  callData: '0x',
  callGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  signature: '0x',
} as const;

const handleOpsCall = (op: UserOperation): Hex => {
  const alone = { ...op, ...bare, sender: addressKey(op.sender) };
  const [abi, form] = isV06(alone) ? [v06Abi, alone] : [v07Abi, packUserOperation(alone)];
  return abi.encodeFunctionData('handleOps', [[form], BENEFICIARY]) as Hex;
};

/** Above this limit, the call may have less gas for the factory than a bundle would have. */
const MOST_OFFERED_GAS = (CALL_GAS * 5n) / 6n;

const aaCodeOf = ({ data = '0x', message }: RpcError): string | undefined =>
  data === '0x' ? aaCodeIn(message) : toldOf(data).aaCode;

const failureOf = (
  aaCode: string | undefined,
  { verificationGasLimit }: UserOperation,
): CreationFailure | undefined => {
  if (aaCode === 'AA13') return verificationGasLimit > MOST_OFFERED_GAS ? undefined : aaCode;
  return aaCode === 'AA14' || aaCode === 'AA15' ? aaCode : undefined;
};

/**
 * Why the EntryPoint cannot make the account of an operation that names a factory; undefined where it can, or does not
 * say. One `eth_call` of `handleOps`: it creates the account as a bundle would, through the EntryPoint's SenderCreator
 * and with the operation's `verificationGasLimit`. That comes before everything that depends on a signature or on who
 * pays, so the failures of those (AA21, AA23, AA24 …) say nothing here. No node needs state overrides for it.
 *
 * @throws RpcError if the node refuses the call
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const tryCreation = async (
  rpc: RpcClient,
  entryPoint: Address,
  op: UserOperation,
): Promise<CreationFailure | undefined> => {
  try {
    await callWithAmpleGas(rpc, entryPoint, handleOpsCall(op));
  } catch (error) {
    if (error instanceof RpcError && hasReverted(error)) return failureOf(aaCodeOf(error), op);
    throw error;
  }
  return undefined;
};
