import { Interface, ZeroHash, getCreateAddress } from 'ethers';
import { EngineError } from '../../../shared/errors.ts';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { isV06 } from '../../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import { PACKED_USER_OPERATION_ABI } from '../../../core/user-operation/abi.ts';
import { contractForm, packUserOperation } from '../../../core/user-operation/pack-user-operation.ts';
import { byteLength } from '../../../core/user-operation/hex-digits.ts';
import { loadArtifact } from '../artifacts.ts';
import { callWithOverride, mergeOverrides, readCode } from './eth-call.ts';
import { failSimulation, revertReason } from './failure.ts';
import type { Simulation } from './handle-op.ts';

const abi = new Interface([
  'function estimateCallGas(address senderCreator, bytes initCode, address sender, bytes callData, uint256 minGas, uint256 maxGas) returns (bool success, uint256 gasNeeded, bytes revertData)',
]);

const executeAbi = new Interface([`function executeUserOp(${PACKED_USER_OPERATION_ABI} op, bytes32 userOpHash)`]);
const EXECUTE_USER_OP = '0x8dd7712f';

/** The address at which the probe finds the EntryPoint's code (resources/solidity/CallGasProbe.sol). */
export const IMPLEMENTATION: Address = '0x66EE95b1CDD8cec3d47b46f50083b1c696489f3D';

/** The longest revert data of a custom error that is part of the error. */
const MAX_REVERT_BYTES = 1024;

/** Together with the gas for validation, this is about the limit of a transaction (EIP-7825: 16.8 M gas). */
const MAX_CALL_GAS = 15_000_000n;

/**
 * The lowest `callGasLimit`, accurate to about 1 %, with which an operation's callData succeeds. An `eth_call` replaces
 * the EntryPoint with a probe, so that one request does the whole search. The simulated operation has no paymaster.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with `data.reason` if the call reverts, and with `data.revertData` if that
 * is a custom error; `CHAIN_UNREACHABLE`
 */
export const findCallGas = async (
  { rpc, entryPoint, state }: Pick<Simulation, 'rpc' | 'entryPoint' | 'state'>,
  op: UserOperation,
): Promise<bigint> => {
  const [{ deployedBytecode }, entryPointCode] = await Promise.all([
    loadArtifact('CallGasProbe'),
    readCode(rpc, entryPoint).catch(failSimulation),
  ]);
  const override = mergeOverrides(state, {
    [entryPoint]: { code: deployedBytecode },
    [IMPLEMENTATION]: { code: entryPointCode },
  });
  const answer = await callWithOverride(rpc, entryPoint, probeCall(entryPoint, op), override).catch(failSimulation);
  const { success, gasNeeded, revertData } = readAnswer(answer);
  if (success) return gasNeeded;
  throw callFailure(revertData);
};

const probeCall = (entryPoint: Address, op: UserOperation): Hex => {
  const { sender, initCode } = contractForm(op);
  const args = [senderCreatorOf(entryPoint), initCode, addressKey(sender), executedCallData(op), 0n, MAX_CALL_GAS];
  return abi.encodeFunctionData('estimateCallGas', args) as Hex;
};

/** The address of the SenderCreator, which the EntryPoint created in its constructor. */
export const senderCreatorOf = (entryPoint: Address): string =>
  getCreateAddress({ from: addressKey(entryPoint), nonce: 1 });

/** The calldata of the EntryPoint's call to the account. From v0.7 on, `executeUserOp` gets the whole operation. */
export const executedCallData = (op: UserOperation): Hex => {
  if (isV06(op) || !op.callData.startsWith(EXECUTE_USER_OP)) return op.callData;
  const anyHash = ZeroHash;
  const packed = { ...packUserOperation(op), sender: addressKey(op.sender) };
  return executeAbi.encodeFunctionData('executeUserOp', [packed, anyHash]) as Hex;
};

const readAnswer = (answer: Hex): { success: boolean; gasNeeded: bigint; revertData: Hex } => {
  // A node that ignores the override calls the real EntryPoint, which has no such method.
  if (answer === '0x') {
    throw new EngineError('GAS_ESTIMATION_FAILED', 'The node does not support state overrides in eth_call');
  }
  try {
    const [success, gasNeeded, revertData] = abi.decodeFunctionResult('estimateCallGas', answer).toArray() as [
      boolean,
      bigint,
      Hex,
    ];
    return { success, gasNeeded, revertData };
  } catch (error) {
    throw new EngineError(
      'CHAIN_UNREACHABLE',
      'The node returned an unreadable simulation of the call',
      {},
      { cause: error },
    );
  }
};

/**
 * The error for a reverted call. It contains the contract's own revert message, for developers. No paymaster signature
 * can leak, because this simulation contains none, not even for `executeUserOp`, whose operation has no paymaster.
 */
const callFailure = (revertData: Hex): EngineError => {
  const reason = revertReason(revertData);
  const message =
    revertData === '0x'
      ? `The operation's call fails without a reason or needs more than ${MAX_CALL_GAS} gas`
      : `The operation's call reverts: ${reason}`;
  const isCustom = reason.startsWith('custom error ') && byteLength(revertData) <= MAX_REVERT_BYTES;
  return new EngineError('GAS_ESTIMATION_FAILED', message, { reason, ...(isCustom && { revertData }) });
};
