import { max } from '../../../shared/bigints.ts';
import { EngineError } from '../../../shared/errors.ts';
import { isV06 } from '../../../shared/schema/user-operation.ts';
import type { UserOperation, UserOperationV06, UserOperationV07 } from '../../../shared/schema/user-operation.ts';
import { entryPoints } from '../../../core/entry-points/registry.ts';
import type { PaymasterGas } from '../../../core/user-operation/paymaster-fields.ts';
import { withPaymasterAndData } from '../../../core/user-operation/paymaster-fields.ts';
import { ampleFunds } from './ample-funds.ts';
import { findCallGas } from './call-gas.ts';
import { withAuthorization } from './delegation.ts';
import { mergeOverrides } from './eth-call.ts';
import { failSimulation } from './failure.ts';
import type { GasValues } from '../../../core/user-operation/gas-values.ts';
import type { GasRequest } from './gas-request.ts';
import { simulateHandleOp } from './handle-op.ts';
import type { Simulation } from './handle-op.ts';
import { l1DataGas } from './l1-data-gas.ts';
import type { GasSchedule } from '../../../core/gas-schedules/gas-schedule.ts';
import { slotChangeGas } from '../../../core/gas-schedules/work.ts';
import { scheduleOf } from '../rpc.ts';
import { preVerificationGas } from '../../../core/user-operation/pre-verification.ts';

/** More gas than bundlers allow for an account's validation. */
const MAX_VERIFICATION_GAS = 6_000_000n;
/** More gas than a paymaster's calls need. */
const MAX_PAYMASTER_GAS = 2_000_000n;

/** The minimum that bundlers require: the cost of a call with value to an account that was used before (EIP-150). */
const minCallGas = ({ valueTransfer }: GasSchedule): bigint => valueTransfer + 100n;

/**
 * Maximum number of times that the validation limits are raised. Raising them is necessary if the measured gas is not
 * sufficient.
 */
const MAX_RAISES = 3;

/** Adds 10 %, because state changes until the operation is mined, and nested calls get only 63/64 of the gas. */
const withMargin = (gas: bigint): bigint => (gas * 11n) / 10n;

/**
 * Estimates the gas of an operation without a bundler (behaviour 4.2), with at most ten `eth_call`s. Simulations with
 * generous limits measure validation and postOp, a search finds the gas of the call, and a last simulation proves that
 * the result suffices.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED`, `CHAIN_UNREACHABLE`
 */
export const estimateBySimulation = async (request: GasRequest): Promise<GasValues> => {
  const { rpc, entryPoint, op, sponsor, layout, rollup, authority } = request;
  const schedule = scheduleOf(rpc);
  const version = layout.entryPointVersion;
  const simulation = { rpc, version, entryPoint, state: simulatedState(request), sponsor };
  const { metered, ...limits } = await (isV06(op) ? meterV06(simulation, op) : meterV07(simulation, op, layout));
  const callGas = await findCallGas(simulation, op);
  const limited = { ...op, ...limits, callGasLimit: max(withMargin(callGas), minCallGas(schedule)) };
  const sponsored = withPaymasterAndData<UserOperation>(limited, sponsor(limited));
  const l1Gas =
    rollup === undefined ? 0n : await l1DataGas(rollup, { ...request, op: sponsored }).catch(failSimulation);
  return proven(simulation, {
    ...limited,
    preVerificationGas:
      preVerificationGas({ entryPoint: entryPoints[version], schedule, authority }, sponsored, metered + callGas) +
      l1Gas,
  });
};

/** A state override with sufficient funds, the sender's future code, and the key that signs for the paymaster. */
export const simulatedState = ({ entryPoint, op, layout, paymaster, fundingWallet, state = {} }: GasRequest) => {
  const tank = layout.hasTanks && fundingWallet !== undefined ? { paymaster, fundingWallet } : undefined;
  const funded = ampleFunds(entryPoint, [paymaster, op.sender], tank);
  return mergeOverrides(mergeOverrides(funded, withAuthorization(op)), state);
};

interface MeteredGas extends Partial<GasValues> {
  readonly verificationGasLimit: bigint;
  readonly metered: bigint;
}

const generous = { callGasLimit: 0n, verificationGasLimit: MAX_VERIFICATION_GAS, preVerificationGas: 0n };

const meterV06 = async (simulation: Simulation, op: UserOperationV06): Promise<MeteredGas> => {
  const { validation, execution } = await simulateHandleOp(simulation, { ...op, ...generous });
  const metered = validation + execution;
  // v0.6 applies the same limit to validation and to postOp. The limit is the sum of both, so that it covers the whole
  // charge.
  return { metered, verificationGasLimit: withMargin(metered) };
};

/**
 * From v0.7 on, the paymaster has separate limits. The gas of its calls is measured as the difference to the same
 * operation paid by the account.
 */
const meterV07 = async (
  simulation: Simulation,
  op: UserOperationV07,
  layout: GasRequest['layout'],
): Promise<MeteredGas> => {
  const paymasterGas = { paymasterVerificationGasLimit: MAX_PAYMASTER_GAS, paymasterPostOpGasLimit: MAX_PAYMASTER_GAS };
  // Reading and lowering a deposit counts towards the payer's limit.
  const depositGas = slotChangeGas(scheduleOf(simulation.rpc));
  const own = await simulateHandleOp({ ...simulation, sponsor: undefined }, { ...op, ...generous });
  const sponsored = await simulateHandleOp(simulation, { ...op, ...generous, ...paymasterGas });
  const postOp = postOpGas(own.execution, sponsored.execution);
  // A postOp that takes tokens may fail in this simulation, because the operation's call does not run and approves
  // nothing.
  const least = layout.paymasterGas?.paymasterPostOpGasLimit ?? 0n;
  return {
    metered: sponsored.validation + own.execution + postOp,
    // The EntryPoint's own work has no separate limit. It is included here, so that the limits cover the whole charge.
    verificationGasLimit: withMargin(own.validation - depositGas + own.execution),
    paymasterVerificationGasLimit: withMargin(sponsored.validation - own.validation + depositGas),
    paymasterPostOpGasLimit: max(withMargin(postOp), least),
  };
};

/**
 * Gas of postOp, computed from the gas charged for execution without postOp and with MAX_PAYMASTER_GAS as its limit:
 * `charged = used + (limit - used) / 10`, where the second term is the penalty for unused gas. v0.8 charges no penalty
 * without a postOp, and otherwise excludes the EntryPoint's own work from `used`, so for v0.8 the result is about 1,000
 * gas too high.
 */
const postOpGas = (without: bigint, charged: bigint): bigint => {
  const used = (10n * charged - MAX_PAYMASTER_GAS) / 9n;
  return used > without ? used - without : 0n;
};

/** Raises the validation limits until the operation succeeds with its gas values in a simulation. */
const proven = async (simulation: Simulation, op: UserOperation, raises = 0): Promise<GasValues> => {
  try {
    await simulateHandleOp(simulation, op);
  } catch (error) {
    const ranOut = error instanceof EngineError && error.code === 'GAS_ESTIMATION_FAILED';
    if (!ranOut || raises === MAX_RAISES) throw error;
    return proven(simulation, { ...op, ...raised(op) }, raises + 1);
  }
  const { callGasLimit, verificationGasLimit, preVerificationGas } = op;
  return { callGasLimit, verificationGasLimit, preVerificationGas, ...paymasterGasOf(op) };
};

const raised = (op: UserOperation): Partial<GasValues> => {
  const { paymasterVerificationGasLimit } = paymasterGasOf(op);
  return {
    verificationGasLimit: (op.verificationGasLimit * 3n) / 2n,
    ...(paymasterVerificationGasLimit !== undefined && {
      paymasterVerificationGasLimit: (paymasterVerificationGasLimit * 3n) / 2n,
    }),
  };
};

const paymasterGasOf = (op: UserOperation): Partial<PaymasterGas> => {
  if (isV06(op)) return {};
  const { paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit = 0n } = op;
  return { paymasterVerificationGasLimit, paymasterPostOpGasLimit };
};
