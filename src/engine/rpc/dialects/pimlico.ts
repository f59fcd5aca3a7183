import { z } from 'zod';
import type { ProcedureArguments } from '../../../api/index.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { paymasterContext } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { checkEntryPoint, dappOf, readUserOperation } from '../params.ts';
import { reading } from '../reading.ts';
import { gasFields, gasOf, paymasterFields, paymasterFieldsV06, paymasterFieldsV07 } from './paymaster-fields.ts';
import { refusal } from './refusal.ts';

/** A result in Pimlico's dialect, for EntryPoint v0.6 or for later versions. */
export const pimlicoSponsorship = z.union([paymasterFieldsV06.extend(gasFields), paymasterFieldsV07.extend(gasFields)]);

/**
 * Decides a request, and returns the paymaster's fields with the estimated gas.
 *
 * @throws EngineError `NOT_SPONSORED` with the reason, and as deciding does
 */
export const decideWithGas = async (
  request: ProcedureArguments<'sponsorship.sponsor'>,
  { service, showReasons, decided }: MethodContext,
): Promise<Record<string, string>> => {
  const answer = await service.run('sponsorship.sponsor', request);
  decided(answer);
  if (answer.reason !== undefined) throw refusal(answer.reason, showReasons);
  return { ...paymasterFields(answer), ...gasOf(answer) };
};

const METHOD = 'pm_sponsorUserOperation';

/**
 * `pm_sponsorUserOperation` in Pimlico's dialect, with the params `[user operation, EntryPoint, context?]`. Estimates
 * gas even if the client sends gas limits, because clients of this method expect it. Does not estimate gas if the
 * account has already signed the operation.
 *
 * @throws EngineError `NOT_SPONSORED` with the reason, `ENTRY_POINT_MISMATCH`, `VALIDATION` and as deciding does
 */
export const sponsorPimlico = async (params: readonly unknown[], context: MethodContext): Promise<unknown> => {
  const { chainId, apiKey } = context;
  const request = await reading(METHOD, params, context, async () => {
    checkEntryPoint(params[1], 'params[1]', await dappOf(context));
    const requested = parse(paymasterContext, params[2], 'params[2]');
    const options = { ...requested, calculateGasLimits: requested.signingPhase !== 'finalize' };
    const userOperation = readUserOperation(params[0]);
    return { chainId, apiKey, method: METHOD, userOperation, options, received: params };
  });
  return decideWithGas(request, context);
};
