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
/** What EntryPoint v0.6's simulation reverts with. */
const errors = new Interface([
  'error ExecutionResult(uint256 preOpGas, uint256 paid, uint48 validAfter, uint48 validUntil, bool targetSuccess, bytes targetResult)',
]);
/** What the simulations of later EntryPoints return. */
const results = new Interface([
  'function simulateHandleOp() returns (tuple(uint256 preOpGas, uint256 paid, uint256 accountValidationData, uint256 paymasterValidationData, bool targetSuccess, bytes targetResult))',
]);

export interface MeteredGas {
  /** Gas for creating and validating the account, and for the paymaster's validation. */
  readonly validation: bigint;
  /**
   * Gas for the operation's call, the paymaster's postOp, the EntryPoint's own work around them and, from v0.7 on, the
   * penalty for unused gas.
   */
  readonly execution: bigint;
}

export interface Simulation {
  readonly rpc: RpcClient;
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  /** A state override with sufficient funds, and with the sender's EIP-7702 delegate. */
  readonly state: StateOverride;
  /** Undefined if the account itself pays. */
  readonly sponsor: Sponsor | undefined;
}

/**
 * Runs an operation through `simulateHandleOp`, which checks everything except the signatures and validity windows of
 * account and paymaster. So the client's dummy signature is accepted. The paymaster's signature must be correct,
 * because with a wrong one the paymaster would skip work that must be measured. Node and account see it before the
 * decision. Therefore its validity window has expired, or its key is valid only in this simulation ({@link Sponsor}).
 *
 * The simulated fee is 1 wei per gas. With this fee, balances change and cost gas as in reality, the amount that the
 * EntryPoint reports equals the gas, and an absurd fee of the client has no effect.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with the EntryPoint's AA code, `CHAIN_UNREACHABLE`
 */
export const simulateHandleOp = async (simulation: Simulation, op: UserOperation): Promise<MeteredGas> => {
  // If both fees are equal, the EntryPoint does not read the block's base fee, which differs between nodes.
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

/** Gas until the end of validation, including preVerificationGas, and the total gas charged. */
interface Outcome {
  readonly preOpGas: bigint;
  readonly paid: bigint;
}

/** EntryPoint v0.6 has the simulation as a method, which always reverts, even on success. */
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

/** From v0.7 on, an EntryPoint with an added simulation method replaces the real one in the call. */
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
