import { z } from 'zod';
import { parse } from '../../../shared/schema/parse.ts';
import { paymasterContext } from '../../../shared/schema/sponsorship.ts';
import { entryPointParam, signingErrors, userOperationParam } from '../common-params.ts';
import { exampleEntryPoint, exampleOperationV07 } from '../examples.ts';
import type { RpcMethod } from '../method.ts';
import { checkEntryPoint, dappOf, readUserOperation } from '../params.ts';
import { reading } from '../reading.ts';

const policyIds = z.array(z.string().max(200)).max(100);

/**
 * Pimlico's method, with the params `[user operation, EntryPoint, policy ids]`. The API key determines the rules: if
 * they would sponsor the operation, all ids are valid, otherwise none.
 */
export const pmValidateSponsorshipPolicies: RpcMethod = {
  method: 'pm_validateSponsorshipPolicies',
  summary: 'Which of these policies would sponsor the operation. Gasdesk answers with all of them or none',
  params: [
    userOperationParam,
    entryPointParam,
    { name: 'policyIds', summary: 'Any policy ids: the API key determines the rules', schema: policyIds },
  ],
  result: z.array(
    z.strictObject({
      sponsorshipPolicyId: z.string(),
      data: z.strictObject({ name: z.string(), author: z.string(), icon: z.string(), description: z.string() }),
    }),
  ),
  example: {
    params: [exampleOperationV07, exampleEntryPoint, ['sp_any']],
    result: [{ sponsorshipPolicyId: 'sp_any', data: { name: 'Game', author: 'Game', icon: '', description: '' } }],
  },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH'],
  async handle(params, context) {
    const { service, chainId, apiKey } = context;
    const { method } = this;
    const { dapp, ids, request } = await reading(method, params, context, async () => {
      const named = await dappOf(context);
      checkEntryPoint(params[1], 'params[1]', named);
      const userOperation = readUserOperation(params[0]);
      const options = parse(paymasterContext, {});
      const request = { chainId, apiKey, method, userOperation, options, received: params };
      return { dapp: named, ids: parse(policyIds, params[2], 'params[2]'), request };
    });
    const { reason } = await service.run('sponsorship.stub', request);
    const data = { name: dapp.name, author: dapp.name, icon: dapp.icon ?? '', description: '' };
    return reason === undefined ? ids.map((sponsorshipPolicyId) => ({ sponsorshipPolicyId, data })) : [];
  },
};
