import { EngineError } from '../../../shared/errors.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { partialUserOperation } from '../../../shared/schema/partial-user-operation.ts';
import { sponsorshipOptions } from '../../../shared/schema/sponsorship.ts';
import { exactNumber } from '../../http/json.ts';
import type { RpcMethod } from '../method.ts';

const METHOD = 'pm_sponsorUserOperation';

/** Biconomy's dialect (service-interface 4.6): `[partial user operation, options]`. */
export const pmSponsorUserOperation: RpcMethod = {
  method: METHOD,
  async handle(params, { service, chainId, apiKey, showReasons }) {
    const [op, options] = params;
    const extra = params.length > 2 ? ['params[2] should not exist'] : [];
    if (extra[0] !== undefined) throw new EngineError('VALIDATION', extra[0], { errors: extra });
    const answer = await service.run('sponsorship.sponsor', {
      chainId,
      apiKey,
      method: METHOD,
      userOperation: parse(partialUserOperation, op, 'params[0]'),
      options: parse(sponsorshipOptions, options, 'params[1]'),
      received: params,
    });
    return {
      MODE: 'SPONSORED',
      mode: 'SPONSORED',
      paymasterAndData: answer.paymasterAndData,
      preVerificationGas: answer.preVerificationGas,
      verificationGasLimit: exactNumber(answer.verificationGasLimit),
      callGasLimit: exactNumber(answer.callGasLimit),
      ...(showReasons && answer.reason !== undefined && { reason: answer.reason }),
    };
  },
};
