import { EngineError } from '../../../shared/errors.ts';
import { estimateByBundler } from './bundler.ts';
import type { GasValues } from '../../../core/user-operation/gas-values.ts';
import type { GasRequest } from './gas-request.ts';
import { findCallGas } from './call-gas.ts';
import { estimateBySimulation, simulatedState } from './simulation.ts';

/** More gas than fits into a block of any chain. */
const MAX_GAS = 10_000_000_000n;

/**
 * Finds the reason of a call that reverts, with the node: a bundler's message may quote contracts that have seen the
 * draft's signature, and the node tries the call without any.
 *
 * @throws EngineError the bundler's refusal, if the call is not why
 */
const tellRevert = async (request: GasRequest, refusal: unknown): Promise<never> => {
  const isCall =
    refusal instanceof EngineError && refusal.code === 'GAS_ESTIMATION_FAILED' && refusal.data['aaCode'] === undefined;
  if (!isCall) throw refusal;
  const { rpc, entryPoint, op } = request;
  const tried: unknown = await findCallGas({ rpc, entryPoint, state: simulatedState(request) }, op).catch(
    (error: unknown) => error,
  );
  throw tried instanceof EngineError && tried.data['reason'] !== undefined ? tried : refusal;
};

/**
 * The gas values to sign: from the bundler if the chain has one, otherwise from simulation (behaviour 4.2).
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with `data.reason`, and with `data.aaCode` and `data.selector` if known;
 * `CHAIN_UNREACHABLE`
 */
export const estimateGas = async (request: GasRequest): Promise<GasValues> => {
  const { bundler } = request;
  const gas = await (bundler === undefined
    ? estimateBySimulation(request)
    : estimateByBundler(bundler, request).catch((error: unknown) => tellRevert(request, error)));
  // Without callData, for example if the operation only deploys its account, the EntryPoint does not call the account.
  const mayBeZero =
    request.op.callData === '0x' ? ['callGasLimit', 'paymasterPostOpGasLimit'] : ['paymasterPostOpGasLimit'];
  const isAbsurd = ([name, value]: [string, bigint]): boolean =>
    value < 0n || value > MAX_GAS || (value === 0n && !mayBeZero.includes(name));
  if (Object.entries<bigint>({ ...gas }).some(isAbsurd))
    throw new EngineError('CHAIN_UNREACHABLE', 'The node returned implausible gas values');
  return gas;
};
