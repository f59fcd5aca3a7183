import { z } from 'zod';
import { chainIdParam, contextParam, entryPointParam, signingErrors, userOperationParam } from '../common-params.ts';
import { readPaymasterRequest } from '../dialects/erc-7677.ts';
import { paymasterFields, paymasterFieldsV06, paymasterFieldsV07 } from '../dialects/paymaster-fields.ts';
import { refusal } from '../dialects/refusal.ts';
import { exampleEntryPoint, exampleOperationV07, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

/** Both fields are absent if the operator omits them, for wallets that mistake them for fields of the operation. */
const whoSponsors = {
  sponsor: z.strictObject({ name: z.string().describe('The DApp'), icon: z.string().optional() }).optional(),
  isFinal: z.literal(false).optional().describe('The client asks for the final data once gas is known'),
};

/** ERC-7677: paymaster data for estimating gas. The params are `[user operation, EntryPoint, chain id, context?]`. */
export const pmGetPaymasterStubData: RpcMethod = {
  method: 'pm_getPaymasterStubData',
  summary: 'ERC-7677: paymaster data of the final length, for gas estimation',
  params: [userOperationParam, entryPointParam, chainIdParam, contextParam],
  result: z.union([paymasterFieldsV06.extend(whoSponsors), paymasterFieldsV07.extend(whoSponsors)]),
  example: {
    params: [exampleOperationV07, exampleEntryPoint, '0xaa36a7', {}],
    result: { ...examplePaymasterFields, sponsor: { name: 'Game' }, isFinal: false },
  },
  errors: [...signingErrors, 'ENTRY_POINT_MISMATCH', 'CHAIN_MISMATCH'],
  async handle(params, context) {
    const { service, showReasons } = context;
    const { dapp, request } = await readPaymasterRequest(this.method, params, context);
    const { reason, ...fields } = await service.run('sponsorship.stub', request);
    if (reason !== undefined) throw refusal(reason, showReasons);
    const { name, icon, isSponsorTold } = dapp;
    const sponsor = { name, ...(icon !== undefined && { icon }) };
    return { ...paymasterFields(fields), ...(isSponsorTold && { sponsor, isFinal: false }) };
  },
};
