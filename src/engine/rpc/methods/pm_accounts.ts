import { z } from 'zod';
import { address } from '../../../shared/schema/hex.ts';
import { entryPointParam, feeTokenErrors } from '../common-params.ts';
import { exampleEntryPoint, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';
import { checkEntryPoint, dappOf } from '../params.ts';

/** Stackup's method, with the params `[EntryPoint]`. */
export const pmAccounts: RpcMethod = {
  method: 'pm_accounts',
  summary:
    'A list with the address of the paymaster contract: the one that charges tokens, or else the one that sponsors',
  params: [entryPointParam],
  result: z.array(address),
  example: { params: [exampleEntryPoint], result: [examplePaymasterFields.paymaster] },
  errors: feeTokenErrors,
  async handle(params, context) {
    checkEntryPoint(params[0], 'params[0]', await dappOf(context));
    const { service, chainId, apiKey } = context;
    const { paymasterAddress } = await service.run('sponsorship.feeTokens', { chainId, apiKey });
    return [paymasterAddress];
  },
};
