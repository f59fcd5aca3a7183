import { Interface, ZeroAddress } from 'ethers';
import { EngineError } from '../../../shared/errors.ts';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../../shared/schema/user-operation.ts';
import { USER_OPERATION_V06_ABI } from '../../user-operation/abi.ts';
import { RpcError } from '../rpc.ts';
import type { RpcClient } from '../rpc.ts';
import { callWithOverride } from './eth-call.ts';
import type { StateOverride } from './eth-call.ts';
import { parseRevert, simulationFailure } from './failure.ts';

const abi = new Interface([
  `function simulateHandleOp(${USER_OPERATION_V06_ABI} op, address target, bytes targetCallData)`,
  'error ExecutionResult(uint256 preOpGas, uint256 paid, uint48 validAfter, uint48 validUntil, bool targetSuccess, bytes targetResult)',
]);

/** What EntryPoint v0.6 metered while it ran an operation, in gas. */
export interface MeteredGas {
  /** Creation of the account, its validation, and the paymaster's. */
  readonly validation: bigint;
  /** The operation's call, the paymaster's postOp, and the EntryPoint's own work around them. */
  readonly execution: bigint;
}

/** How a simulation is run. */
export interface Simulation {
  readonly rpc: RpcClient;
  readonly entryPoint: Address;
  /** What makes sure that there is money enough. */
  readonly funds: StateOverride;
  /** `paymasterAndData` as in the final operation, signed for the one that is simulated. */
  readonly sponsor: (op: UserOperationV06) => Hex;
}

/**
 * Runs an operation through `EntryPoint.simulateHandleOp` (v0.6), which checks all but the account's signature, the
 * paymaster's, and their times. A dummy signature of the account's owner therefore passes; the paymaster's is real,
 * for a wrong one would spare the paymaster the work that is to be measured.
 *
 * It is simulated at a fee of 1 wei per gas: balances then change, and cost gas, as they will; the sum the EntryPoint
 * reports is the gas itself; no absurd fee stands in the way; and the signature, which the node sees before anything
 * was decided, sponsors nothing worth having.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with the EntryPoint's AA code and reason, `CHAIN_UNREACHABLE`
 */
export const simulateHandleOp = async (
  { rpc, entryPoint, funds, sponsor }: Simulation,
  op: UserOperationV06,
): Promise<MeteredGas> => {
  // Equal fees: the EntryPoint then does not ask for the block's base fee, which differs from node to node.
  const priced: UserOperationV06 = { ...op, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const sponsored = { ...priced, sender: addressKey(op.sender), paymasterAndData: sponsor(priced) };
  const data = abi.encodeFunctionData('simulateHandleOp', [sponsored, ZeroAddress, '0x']) as Hex;
  const outcome = await callWithOverride(rpc, entryPoint, data, funds).catch((error: unknown) => {
    const metered = error instanceof RpcError ? readExecutionResult(error.data, op.preVerificationGas) : undefined;
    if (metered === undefined) throw simulationFailure(error);
    return metered;
  });
  if (typeof outcome === 'object') return outcome;
  // simulateHandleOp always reverts, also when all went well.
  throw new EngineError('GAS_ESTIMATION_FAILED', `There is no EntryPoint v0.6 at ${entryPoint}`);
};

const readExecutionResult = (data: Hex = '0x', preVerificationGas: bigint): MeteredGas | undefined => {
  const result = parseRevert(abi, data);
  if (result === undefined) return undefined;
  const [preOpGas, paid] = result.values as [bigint, bigint];
  return { validation: preOpGas - preVerificationGas, execution: paid - preOpGas };
};
