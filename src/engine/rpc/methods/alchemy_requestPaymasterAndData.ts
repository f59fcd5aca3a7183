import { z } from 'zod';
import { signingErrors } from '../common-params.ts';
import { alchemyRequest, readAlchemy } from '../dialects/alchemy.ts';
import { paymasterFields, paymasterFieldsV06, paymasterFieldsV07 } from '../dialects/paymaster-fields.ts';
import { refusal } from '../dialects/refusal.ts';
import { exampleEntryPoint, exampleOperationV07, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

/** Alchemy's method of its gas manager. Signs the client's gas and fees. */
export const alchemyRequestPaymasterAndData: RpcMethod = {
  method: 'alchemy_requestPaymasterAndData',
  summary: "Alchemy: decide, sign and store, with the client's gas limits",
  params: [{ name: 'request', summary: 'The operation, its EntryPoint and a policy id', schema: alchemyRequest }],
  result: z.union([paymasterFieldsV06, paymasterFieldsV07]),
  example: {
    params: [{ policyId: 'any', entryPoint: exampleEntryPoint, userOperation: exampleOperationV07 }],
    result: examplePaymasterFields,
  },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH'],
  async handle(params, context) {
    const answer = await context.service.run('sponsorship.sponsor', await readAlchemy(this.method, params, context));
    context.decided(answer);
    if (answer.reason !== undefined) throw refusal(answer.reason, context.showReasons);
    return paymasterFields(answer);
  },
};
