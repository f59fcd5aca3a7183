import { parse } from '../../../shared/schema/parse.ts';
import { paymasterContext } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { atMost, checkEntryPoint, dappOf, readUserOperation } from '../params.ts';
import { hexOf, paymasterFields } from './paymaster-fields.ts';
import { refusal } from './refusal.ts';

/**
 * `pm_sponsorUserOperation` in Pimlico's dialect: `[user operation, EntryPoint, context?]`. Gas is estimated, whatever
 * the client sends: that is what its callers expect of it.
 *
 * @throws EngineError `NOT_SPONSORED` with the reason, `ENTRY_POINT_MISMATCH`, `VALIDATION` and as deciding does
 */
export const sponsorPimlico = async (params: readonly unknown[], context: MethodContext): Promise<unknown> => {
  const { service, chainId, apiKey, showReasons } = context;
  atMost(params, 3);
  checkEntryPoint(params[1], 'params[1]', await dappOf(context));
  const answer = await service.run('sponsorship.sponsor', {
    chainId,
    apiKey,
    method: 'pm_sponsorUserOperation',
    userOperation: readUserOperation(params[0]),
    options: { ...parse(paymasterContext, params[2], 'params[2]'), calculateGasLimits: true },
    received: params,
  });
  if (answer.reason !== undefined) throw refusal(answer.reason, showReasons);
  return {
    ...paymasterFields(answer),
    preVerificationGas: hexOf(answer.preVerificationGas),
    verificationGasLimit: hexOf(answer.verificationGasLimit),
    callGasLimit: hexOf(answer.callGasLimit),
  };
};
