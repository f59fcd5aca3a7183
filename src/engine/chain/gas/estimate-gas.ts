import { EngineError } from '../../../shared/errors.ts';
import { estimateByBundler } from './bundler.ts';
import type { GasValues } from '../../../core/user-operation/gas-values.ts';
import type { GasRequest } from './gas-request.ts';
import { estimateBySimulation } from './simulation.ts';

/** More gas than fits into a block of any chain. */
const MAX_GAS = 10_000_000_000n;

/**
 * The gas values to sign: from the bundler if the chain has one, otherwise from simulation (behaviour 4.2).
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with `data.reason`, and with `data.aaCode` and `data.selector` if known;
 * `CHAIN_UNREACHABLE`
 */
export const estimateGas = async (request: GasRequest): Promise<GasValues> => {
  const { bundler } = request;
  const gas = await (bundler === undefined ? estimateBySimulation(request) : estimateByBundler(bundler, request));
  // Without callData, for example if the operation only deploys its account, the EntryPoint does not call the account.
  const mayBeZero =
    request.op.callData === '0x' ? ['callGasLimit', 'paymasterPostOpGasLimit'] : ['paymasterPostOpGasLimit'];
  const isAbsurd = ([name, value]: [string, bigint]): boolean =>
    value < 0n || value > MAX_GAS || (value === 0n && !mayBeZero.includes(name));
  if (Object.entries<bigint>({ ...gas }).some(isAbsurd))
    throw new EngineError('CHAIN_UNREACHABLE', 'The node returned implausible gas values');
  return gas;
};
