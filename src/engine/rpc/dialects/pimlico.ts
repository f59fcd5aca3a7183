import { parse } from '../../../shared/schema/parse.ts';
import { paymasterContext } from '../../../shared/schema/sponsorship.ts';
import type { MethodContext } from '../method.ts';
import { atMost, checkEntryPoint, dappOf, readUserOperation } from '../params.ts';
import { reading } from '../reading.ts';
import { hexOf, paymasterFields } from './paymaster-fields.ts';
import { refusal } from './refusal.ts';

const METHOD = 'pm_sponsorUserOperation';

/**
 * `pm_sponsorUserOperation` in Pimlico's dialect: `[user operation, EntryPoint, context?]`. Gas is estimated, whatever
 * the client sends: that is what its callers expect of it.
 *
 * @throws EngineError `NOT_SPONSORED` with the reason, `ENTRY_POINT_MISMATCH`, `VALIDATION` and as deciding does
 */
export const sponsorPimlico = async (params: readonly unknown[], context: MethodContext): Promise<unknown> => {
  const { service, chainId, apiKey, showReasons } = context;
  const request = await reading(METHOD, params, context, async () => {
    atMost(params, 3);
    checkEntryPoint(params[1], 'params[1]', await dappOf(context));
    const options = { ...parse(paymasterContext, params[2], 'params[2]'), calculateGasLimits: true };
    const userOperation = readUserOperation(params[0]);
    return { chainId, apiKey, method: METHOD, userOperation, options, received: params };
  });
  const answer = await service.run('sponsorship.sponsor', request);
  if (answer.reason !== undefined) throw refusal(answer.reason, showReasons);
  return {
    ...paymasterFields(answer),
    preVerificationGas: hexOf(answer.preVerificationGas),
    verificationGasLimit: hexOf(answer.verificationGasLimit),
    callGasLimit: hexOf(answer.callGasLimit),
  };
};
