import { Interface, ZeroAddress } from 'ethers';
import { EngineError } from '../../../shared/errors.ts';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation } from '../../../shared/schema/user-operation.ts';
import { entryPoints } from '../../../core/entry-points/registry.ts';
import { operationCall } from '../../../core/user-operation/abi.ts';
import { withPaymasterAndData } from '../../../core/user-operation/paymaster-fields.ts';
import { type ArtifactName, loadArtifact } from '../artifacts.ts';
import { RpcError } from '../rpc.ts';
import type { RpcClient } from '../rpc.ts';
import { callWithOverride, mergeOverrides, readCode } from './eth-call.ts';
import type { StateOverride } from './eth-call.ts';
import { failSimulation, parseRevert, simulationFailure } from './failure.ts';
import type { Sponsor } from './gas-request.ts';

const simulationCall = operationCall('simulateHandleOp(OP op, address target, bytes targetCallData)');
/** What the EntryPoint v0.6 reverts with. */
const errors = new Interface([
  'error ExecutionResult(uint256 preOpGas, uint256 paid, uint48 validAfter, uint48 validUntil, bool targetSuccess, bytes targetResult)',
]);
/** What the simulations of later ones return. */
const results = new Interface([
  'function simulateHandleOp() returns (tuple(uint256 preOpGas, uint256 paid, uint256 accountValidationData, uint256 paymasterValidationData, bool targetSuccess, bytes targetResult))',
]);

/** What the EntryPoint metered while it ran an operation, in gas. */
export interface MeteredGas {
  /** Creation of the account, its validation, and the paymaster's. */
  readonly validation: bigint;
  /**
   * The operation's call, the paymaster's postOp, the EntryPoint's own work around them and, from v0.7 on, the penalty
   * for gas that was asked for and not used.
   */
  readonly execution: bigint;
}

/** How a simulation is run. */
export interface Simulation {
  readonly rpc: RpcClient;
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  /** What is changed about the chain: money enough, and the sender's EIP-7702 delegate. */
  readonly state: StateOverride;
  /** Undefined: the account pays itself. */
  readonly sponsor: Sponsor | undefined;
}

/**
 * Runs an operation through `simulateHandleOp`, which checks all but the account's signature, the paymaster's, and
 * their times. A dummy signature of the account's owner therefore passes; the paymaster's is right, for a wrong one
 * would spare the paymaster the work that is to be measured. Node and account see it before anything was decided, so it
 * is of a window that is past, or of a key that is good only here ({@link Sponsor}).
 *
 * It is simulated at a fee of 1 wei per gas: balances then change, and cost gas, as they will; the sum the EntryPoint
 * reports is the gas itself; and no absurd fee stands in the way.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with the EntryPoint's AA code, `CHAIN_UNREACHABLE`
 */
export const simulateHandleOp = async (simulation: Simulation, op: UserOperation): Promise<MeteredGas> => {
  // Equal fees: the EntryPoint then does not ask for the block's base fee, which differs from node to node.
  const priced = { ...op, sender: addressKey(op.sender), maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const { sponsor, version } = simulation;
  const { simulations } = entryPoints[version];
  const payable: UserOperation = sponsor === undefined ? priced : withPaymasterAndData(priced, sponsor(priced));
  const data = simulationCall(payable, (form) => [form, ZeroAddress, '0x']);
  const { preOpGas, paid } = await (simulations === undefined
    ? runOwn(simulation, data)
    : runInPlace(simulation, data, simulations));
  return { validation: preOpGas - op.preVerificationGas, execution: paid - preOpGas };
};

/** Gas up to the end of validation, preVerificationGas included, and gas charged in all. */
interface Outcome {
  readonly preOpGas: bigint;
  readonly paid: bigint;
}

/** EntryPoint v0.6 has the simulation among its methods. It always reverts, also when all went well. */
const runOwn = async (simulation: Simulation, data: Hex): Promise<Outcome> => {
  const { rpc, entryPoint, state } = simulation;
  try {
    await callWithOverride(rpc, entryPoint, data, state);
  } catch (error) {
    const result = error instanceof RpcError ? parseRevert(errors, error.data ?? '0x') : undefined;
    if (result === undefined) throw simulationFailure(error);
    const [preOpGas, paid] = result.values as [bigint, bigint];
    return { preOpGas, paid };
  }
  throw noEntryPoint(simulation);
};

const noEntryPoint = ({ version, entryPoint }: Simulation): EngineError =>
  new EngineError('GAS_ESTIMATION_FAILED', `There is no EntryPoint v${version} at ${entryPoint}`);

/** For later ones there is an EntryPoint with the simulation added, which is put in the EntryPoint's place. */
const runInPlace = async (simulation: Simulation, data: Hex, simulations: ArtifactName): Promise<Outcome> => {
  const { rpc, entryPoint, state } = simulation;
  const [{ deployedBytecode }, entryPointCode] = await Promise.all([
    loadArtifact(simulations),
    readCode(rpc, entryPoint).catch(failSimulation),
  ]);
  if (entryPointCode === '0x') throw noEntryPoint(simulation);
  const override = mergeOverrides(state, { [entryPoint]: { code: deployedBytecode } });
  const answer = await callWithOverride(rpc, entryPoint, data, override).catch(failSimulation);
  try {
    const [preOpGas, paid] = results.decodeFunctionResult('simulateHandleOp', answer)[0] as [bigint, bigint];
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
