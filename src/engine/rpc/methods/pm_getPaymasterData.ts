import { z } from 'zod';
import { chainIdParam, contextParam, entryPointParam, signingErrors, userOperationParam } from '../common-params.ts';
import { readPaymasterRequest } from '../dialects/erc-7677.ts';
import {
  gasFields,
  gasOf,
  paymasterFields,
  paymasterFieldsV06,
  paymasterFieldsV07,
} from '../dialects/paymaster-fields.ts';
import { refusal } from '../dialects/refusal.ts';
import { exampleEntryPoint, exampleOperationV07, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

const estimated = z.object(gasFields).partial().shape;

/**
 * ERC-7677: paymaster data for sending the operation, with final gas. The params are
 * `[user operation, EntryPoint, chain id, context?]`. If the context contains `calculateGasLimits: true`, estimates missing
 * gas limits and returns them.
 */
export const pmGetPaymasterData: RpcMethod = {
  method: 'pm_getPaymasterData',
  summary: 'ERC-7677: signed paymaster data for the final operation',
  params: [userOperationParam, entryPointParam, chainIdParam, contextParam],
  result: z.union([paymasterFieldsV06.extend(estimated), paymasterFieldsV07.extend(estimated)]),
  example: { params: [exampleOperationV07, exampleEntryPoint, '0xaa36a7', {}], result: examplePaymasterFields },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH', 'CHAIN_MISMATCH'],
  async handle(params, context) {
    const { service, showReasons, decided } = context;
    const { request } = await readPaymasterRequest(this.method, params, context);
    const answer = await service.run('sponsorship.sponsor', request);
    decided(answer);
    if (answer.reason !== undefined) throw refusal(answer.reason, showReasons);
    return { ...paymasterFields(answer), ...(request.options.calculateGasLimits && gasOf(answer)) };
  },
};
