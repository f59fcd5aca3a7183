import { z } from 'zod';
import { hexQuantity } from '../../../shared/schema/quantity.ts';
import { signingErrors } from '../common-params.ts';
import { alchemyRequest, readAlchemy, withAlchemyGas } from '../dialects/alchemy.ts';
import { gasFields, hexOf, paymasterFieldsV06, paymasterFieldsV07 } from '../dialects/paymaster-fields.ts';
import { decideWithGas } from '../dialects/pimlico.ts';
import { exampleEntryPoint, exampleOperationV07, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

const found = { ...gasFields, maxFeePerGas: hexQuantity, maxPriorityFeePerGas: hexQuantity };

/**
 * Alchemy's method: estimates gas and fees, except those that the client overrides, and returns them with the
 * paymaster's fields.
 */
export const alchemyRequestGasAndPaymasterAndData: RpcMethod = {
  method: 'alchemy_requestGasAndPaymasterAndData',
  summary: 'Alchemy: estimate gas and fees, decide, sign and store',
  params: [
    {
      name: 'request',
      summary: 'The operation, its EntryPoint, a policy id, and overrides for gas and fees',
      schema: alchemyRequest,
    },
  ],
  result: z.union([paymasterFieldsV06.extend(found), paymasterFieldsV07.extend(found)]),
  example: {
    params: [
      {
        policyId: 'any',
        entryPoint: exampleEntryPoint,
        userOperation: exampleOperationV07,
        dummySignature: '0x',
        overrides: {},
      },
    ],
    result: {
      ...examplePaymasterFields,
      preVerificationGas: '0x1267c',
      verificationGasLimit: '0xdf21',
      callGasLimit: '0x1a930',
      maxFeePerGas: '0x59682f12',
      maxPriorityFeePerGas: '0x59682f00',
    },
  },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH'],
  async handle(params, context) {
    const request = await readAlchemy(this.method, params, context, withAlchemyGas(context));
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = request.userOperation;
    return {
      ...(await decideWithGas(request, context)),
      maxFeePerGas: hexOf(String(maxFeePerGas)),
      maxPriorityFeePerGas: hexOf(String(maxPriorityFeePerGas)),
    };
  },
};
