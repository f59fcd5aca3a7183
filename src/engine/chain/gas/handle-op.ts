import { Interface, ZeroAddress } from 'ethers';
import { EngineError } from '../../../shared/errors.ts';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { isV06 } from '../../../shared/schema/user-operation.ts';
import type {
  EntryPointVersion,
  UserOperation,
  UserOperationV06,
  UserOperationV07,
} from '../../../shared/schema/user-operation.ts';
import { PACKED_USER_OPERATION_ABI, USER_OPERATION_V06_ABI } from '../../../core/user-operation/abi.ts';
import { packUserOperation } from '../../../core/user-operation/pack-user-operation.ts';
import { withPaymasterAndData } from '../../../core/user-operation/paymaster-fields.ts';
import { loadArtifact } from '../artifacts.ts';
import { RpcError } from '../rpc.ts';
import type { RpcClient } from '../rpc.ts';
import { callWithOverride, mergeOverrides, readCode } from './eth-call.ts';
import type { StateOverride } from './eth-call.ts';
import { failSimulation, parseRevert, simulationFailure } from './failure.ts';
import type { Sponsor } from './gas-request.ts';

const v06Abi = new Interface([
  `function simulateHandleOp(${USER_OPERATION_V06_ABI} op, address target, bytes targetCallData)`,
  'error ExecutionResult(uint256 preOpGas, uint256 paid, uint48 validAfter, uint48 validUntil, bool targetSuccess, bytes targetResult)',
]);
const v07Abi = new Interface([
  `function simulateHandleOp(${PACKED_USER_OPERATION_ABI} op, address target, bytes targetCallData) returns (tuple(uint256 preOpGas, uint256 paid, uint256 accountValidationData, uint256 paymasterValidationData, bool targetSuccess, bytes targetResult))`,
]);

export interface MeteredGas {
  /** Creation of the account, its validation, and the paymaster's. */
  readonly validation: bigint;
  /**
   * The operation's call, the paymaster's postOp, the EntryPoint's own work around them and, from v0.7 on, the penalty
   * for unused gas.
   */
  readonly execution: bigint;
}

export interface Simulation {
  readonly rpc: RpcClient;
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  /** Changes of state: enough money, and the sender's EIP-7702 delegate. */
  readonly state: StateOverride;
  /** Undefined: the account pays itself. */
  readonly sponsor: Sponsor | undefined;
}

/**
 * Runs an operation through `simulateHandleOp`, which checks everything except the signatures and time windows of
 * account and paymaster. So a dummy signature of the account's owner passes. The paymaster's is correct, because with a
 * wrong one the paymaster would skip the work to be measured. Node and account see it before the decision, so its
 * window has passed, or its key is valid only here ({@link Sponsor}).
 *
 * The simulated fee is 1 wei per gas: balances change, and cost gas, as in reality; the sum that the EntryPoint reports
 * equals the gas; and an absurd fee cannot interfere.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with the EntryPoint's AA code, `CHAIN_UNREACHABLE`
 */
export const simulateHandleOp = async (simulation: Simulation, op: UserOperation): Promise<MeteredGas> => {
  // With equal fees, the EntryPoint does not read the block's base fee, which differs between nodes.
  const priced = { ...op, sender: addressKey(op.sender), maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const { sponsor } = simulation;
  const payable: UserOperation = sponsor === undefined ? priced : withPaymasterAndData(priced, sponsor(priced));
  const { preOpGas, paid } = await (isV06(payable) ? runV06(simulation, payable) : runV07(simulation, payable));
  return { validation: preOpGas - op.preVerificationGas, execution: paid - preOpGas };
};

/** Gas up to the end of validation, including preVerificationGas, and total gas charged. */
interface Outcome {
  readonly preOpGas: bigint;
  readonly paid: bigint;
}

/** EntryPoint v0.6 contains the simulation as a method. It always reverts, even on success. */
const runV06 = async ({ rpc, entryPoint, state }: Simulation, op: UserOperationV06): Promise<Outcome> => {
  const data = v06Abi.encodeFunctionData('simulateHandleOp', [op, ZeroAddress, '0x']) as Hex;
  try {
    await callWithOverride(rpc, entryPoint, data, state);
  } catch (error) {
    const result = error instanceof RpcError ? parseRevert(v06Abi, error.data ?? '0x') : undefined;
    if (result === undefined) throw simulationFailure(error);
    const [preOpGas, paid] = result.values as [bigint, bigint];
    return { preOpGas, paid };
  }
  throw noEntryPoint('0.6', entryPoint);
};

const noEntryPoint = (version: EntryPointVersion, at: Address): EngineError =>
  new EngineError('GAS_ESTIMATION_FAILED', `There is no EntryPoint v${version} at ${at}`);

const simulations = { '0.7': 'EntryPointSimulations-0.7', '0.8': 'EntryPointSimulations-0.8' } as const;

/** For v0.7 and v0.8, an EntryPoint with an added simulation replaces the real one. */
const runV07 = async ({ rpc, version, entryPoint, state }: Simulation, op: UserOperationV07): Promise<Outcome> => {
  const [{ deployedBytecode }, entryPointCode] = await Promise.all([
    loadArtifact(simulations[version === '0.8' ? version : '0.7']),
    readCode(rpc, entryPoint).catch(failSimulation),
  ]);
  if (entryPointCode === '0x') throw noEntryPoint(version, entryPoint);
  const data = v07Abi.encodeFunctionData('simulateHandleOp', [packUserOperation(op), ZeroAddress, '0x']) as Hex;
  const override = mergeOverrides(state, { [entryPoint]: { code: deployedBytecode } });
  const answer = await callWithOverride(rpc, entryPoint, data, override).catch(failSimulation);
  try {
    const [preOpGas, paid] = v07Abi.decodeFunctionResult('simulateHandleOp', answer)[0] as [bigint, bigint];
    return { preOpGas, paid };
  } catch (error) {
    throw new EngineError(
      'CHAIN_UNREACHABLE',
      'The node returned an unreadable simulation of the operation',
      {},
      { cause: error },
    );
  }
};
