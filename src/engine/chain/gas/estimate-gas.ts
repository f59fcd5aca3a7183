import { estimateByBundler } from './bundler.ts';
import type { GasRequest, GasValues } from './gas-request.ts';
import { estimateBySimulation } from './simulation.ts';

/**
 * The gas values to sign for: the bundler's if there is one, else found by simulation (SPEC 5.1).
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` with `data.aaCode` and `data.reason` where they are known,
 *   `CHAIN_UNREACHABLE`
 */
export const estimateGas = (request: GasRequest): Promise<GasValues> =>
  request.bundler === undefined ? estimateBySimulation(request) : estimateByBundler(request.bundler, request);
