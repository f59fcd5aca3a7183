import { z } from 'zod';
import type { ProcedureArguments, ProcedureOutput } from '../../../api/index.ts';
import { type Soon, soon } from '../../base/soon.ts';
import { JsonNumber } from '../../../shared/schema/decimal.ts';
import { address, hex } from '../../../shared/schema/hex.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { plainSponsorshipOptions } from '../../../shared/schema/plain-request.ts';
import { type SponsorshipOptions, sponsorshipOptions } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { readUserOperation } from '../params.ts';
import { reading } from '../reading.ts';
import { reason, refusal } from './refusal.ts';

/**
 * Reads `[partial user operation, options]`. If the request is refused, stores the refusal.
 *
 * @param readOptions reads `params[1]`
 * @throws EngineError `VALIDATION`
 */
export const readBiconomyRequest = <Options>(
  method: string,
  params: readonly unknown[],
  context: MethodContext,
  readOptions: (value: unknown) => Options,
): Soon<Omit<ProcedureArguments<'sponsorship.sponsor'>, 'options'> & { options: Options }> =>
  reading(method, params, context, () => {
    const { chainId, apiKey } = context;
    const userOperation = readUserOperation(params[0]);
    return { chainId, apiKey, method, userOperation, received: params, options: readOptions(params[1]) };
  });

/** Reads the options of a request that signs. @throws EngineError `VALIDATION` */
const readSponsorshipOptions = (value: unknown): SponsorshipOptions =>
  plainSponsorshipOptions(value) ?? parse(sponsorshipOptions, value, 'params[1]');

/** Clients read the mode under both names. */
const modeName = z.enum(['SPONSORED', 'ERC20']);

/** The result of a request for a signature, as it is sent (behaviour 2.5). */
export const biconomySponsorship = z.strictObject({
  MODE: modeName,
  mode: modeName,
  paymasterAndData: hex.describe('0x if the operation is not sponsored'),
  paymaster: address.optional().describe('This and the next three: from EntryPoint v0.7 on'),
  paymasterData: hex.optional(),
  paymasterVerificationGasLimit: z.number().optional(),
  paymasterPostOpGasLimit: z.number().optional(),
  paymasterSignature: hex.optional().describe('From parallel-0.9'),
  preVerificationGas: z.string().describe('Decimal'),
  verificationGasLimit: z.number(),
  callGasLimit: z.number(),
  reason: reason.optional().describe('Why it is not sponsored, unless the operator hides reasons'),
});

const biconomyResult = (
  { fields, ...answer }: ProcedureOutput<'sponsorship.sponsor'>,
  mode: SponsorshipOptions['mode'],
  showReasons: boolean,
): Record<string, unknown> => ({
  MODE: mode,
  mode,
  paymasterAndData: answer.paymasterAndData,
  ...(fields && {
    paymaster: fields.paymaster,
    paymasterData: fields.paymasterData,
    paymasterVerificationGasLimit: new JsonNumber(fields.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: new JsonNumber(fields.paymasterPostOpGasLimit),
    ...(fields.paymasterSignature !== undefined && { paymasterSignature: fields.paymasterSignature }),
  }),
  preVerificationGas: answer.preVerificationGas,
  verificationGasLimit: new JsonNumber(answer.verificationGasLimit),
  callGasLimit: new JsonNumber(answer.callGasLimit),
  ...(showReasons && answer.reason !== undefined && { reason: answer.reason }),
});

/**
 * Decides a request of Biconomy's dialect, and renders the result.
 *
 * @throws EngineError `NOT_SPONSORED` if the user would pay in a token: with `0x` in the answer, the operation would be
 * sent without a paymaster, and the user would pay in the native coin
 */
export const decideBiconomy = (
  request: ProcedureArguments<'sponsorship.sponsor'>,
  { service, showReasons, decided }: MethodContext,
): Promise<{ sponsored: boolean; result: Record<string, unknown> }> => {
  const { mode } = request.options;
  return service.run('sponsorship.sponsor', { ...request, isPaidByUserElse: true }).then((answer) => {
    decided(answer);
    if (mode === 'ERC20' && answer.reason !== undefined) throw refusal(answer.reason, showReasons);
    return { sponsored: answer.sponsored, result: biconomyResult(answer, mode, showReasons) };
  });
};

/** `pm_sponsorUserOperation` in Biconomy's dialect (behaviour 2.5): `[partial user operation, options]`. */
export const sponsorBiconomy = (params: readonly unknown[], context: MethodContext): Soon<unknown> =>
  soon(readBiconomyRequest('pm_sponsorUserOperation', params, context, readSponsorshipOptions), (request) =>
    decideBiconomy(request, context).then(({ result }) => result),
  );
