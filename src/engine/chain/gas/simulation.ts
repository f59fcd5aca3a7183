import { EngineError } from '../../../shared/errors.ts';
import type { UserOperationV06 } from '../../../shared/schema/user-operation.ts';
import { ampleFunds } from './ample-funds.ts';
import { findCallGas } from './call-gas.ts';
import type { GasRequest, GasValues } from './gas-request.ts';
import { simulateHandleOp } from './handle-op.ts';
import type { Simulation } from './handle-op.ts';
import { preVerificationGas } from './pre-verification.ts';

/** More than bundlers let validation have. */
const MAX_VERIFICATION_GAS = 6_000_000n;

/** What bundlers ask for at least: the price of a call that carries value (EIP-150). */
const MIN_CALL_GAS = 9_100n;

/** How often a verificationGasLimit is raised that does not suffice although so much was used. */
const MAX_RAISES = 3;

/** Up to 10 % over: state changes until the operation is mined, and calls inside calls get 63/64 of the gas only. */
const withMargin = (gas: bigint): bigint => (gas * 11n) / 10n;

/**
 * Gas of an operation without a bundler's help (SPEC 5.1), by at most six `eth_call`s: a run with generous limits
 * meters validation, a search finds the call's gas, and a last run proves that the result passes. What a layer 2 adds
 * for its data on layer 1 is not in it: there a bundler is needed.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED`, `CHAIN_UNREACHABLE`
 */
export const estimateBySimulation = async (request: GasRequest): Promise<GasValues> => {
  const { rpc, entryPoint, op, sponsor, layout, paymaster, fundingWallet } = request;
  const funds = ampleFunds(entryPoint, paymaster, layout.hasTanks ? fundingWallet : undefined);
  const simulation = { rpc, entryPoint, funds, sponsor };

  const generous = { callGasLimit: 0n, verificationGasLimit: MAX_VERIFICATION_GAS, preVerificationGas: 0n };
  const { validation, execution } = await simulateHandleOp(simulation, { ...op, ...generous });
  const callGas = await findCallGas(rpc, entryPoint, op);
  const callGasLimit = withMargin(callGas);
  return proven(simulation, {
    ...op,
    callGasLimit: callGasLimit > MIN_CALL_GAS ? callGasLimit : MIN_CALL_GAS,
    // v0.6 gives the same limit to validation and to postOp, each; the sum makes the limits cover all that is charged.
    verificationGasLimit: withMargin(validation + execution),
    preVerificationGas: preVerificationGas({ ...op, paymasterAndData: sponsor(op) }, validation + execution + callGas),
  });
};

/** The operation's gas values as soon as they pass; verificationGasLimit is raised until they do. */
const proven = async (simulation: Simulation, op: UserOperationV06, raises = 0): Promise<GasValues> => {
  try {
    await simulateHandleOp(simulation, op);
  } catch (error) {
    const ranOut = error instanceof EngineError && error.code === 'GAS_ESTIMATION_FAILED';
    if (!ranOut || raises === MAX_RAISES) throw error;
    return proven(simulation, { ...op, verificationGasLimit: (op.verificationGasLimit * 3n) / 2n }, raises + 1);
  }
  const { callGasLimit, verificationGasLimit, preVerificationGas } = op;
  return { callGasLimit, verificationGasLimit, preVerificationGas };
};
