import type { ProcedureArguments, ProcedureOutput } from '../../../shared/contract/index.ts';
import { JsonNumber } from '../../../shared/schema/decimal.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { sponsorshipOptions } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { atMost, readUserOperation } from '../params.ts';

/** What of a request is the same, whatever its options. */
type BiconomyRequest = Omit<ProcedureArguments<'sponsorship.sponsor'>, 'options'>;

/** Reads `[partial user operation, options]` but for the options. @throws EngineError `VALIDATION` */
export const readBiconomyRequest = (
  method: string,
  params: readonly unknown[],
  { chainId, apiKey }: MethodContext,
): BiconomyRequest => {
  atMost(params, 2);
  return { chainId, apiKey, method, userOperation: readUserOperation(params[0]), received: params };
};

/** The sponsorship result (service-interface 2.7): not sponsored is a result too, and says why beside it (SPEC 3). */
export const biconomyResult = (
  { fields, ...answer }: ProcedureOutput<'sponsorship.sponsor'>,
  { showReasons }: MethodContext,
): Record<string, unknown> => ({
  MODE: 'SPONSORED',
  mode: 'SPONSORED',
  paymasterAndData: answer.paymasterAndData,
  ...(fields && {
    paymaster: fields.paymaster,
    paymasterData: fields.paymasterData,
    paymasterVerificationGasLimit: new JsonNumber(fields.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: new JsonNumber(fields.paymasterPostOpGasLimit),
  }),
  preVerificationGas: answer.preVerificationGas,
  verificationGasLimit: new JsonNumber(answer.verificationGasLimit),
  callGasLimit: new JsonNumber(answer.callGasLimit),
  ...(showReasons && answer.reason !== undefined && { reason: answer.reason }),
});

/** `pm_sponsorUserOperation` in Biconomy's dialect (service-interface 4.6): `[partial user operation, options]`. */
export const sponsorBiconomy = async (params: readonly unknown[], context: MethodContext): Promise<unknown> => {
  const request = readBiconomyRequest('pm_sponsorUserOperation', params, context);
  const options = parse(sponsorshipOptions, params[1], 'params[1]');
  return biconomyResult(await context.service.run('sponsorship.sponsor', { ...request, options }), context);
};
