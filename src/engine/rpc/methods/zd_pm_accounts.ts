import { z } from 'zod';
import { address } from '../../../shared/schema/hex.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { feeTokenErrors } from '../common-params.ts';
import { checkZeroDevTarget, zeroDevTarget } from '../dialects/one-object.ts';
import { exampleEntryPoint, examplePaymasterFields } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

const schema = z.object(zeroDevTarget);

/** The paymaster's address. ZeroDev's clients approve it before they pay in a token. */
export const zdPmAccounts: RpcMethod = {
  method: 'zd_pm_accounts',
  summary:
    'A list with the address of the paymaster contract: the one that charges tokens, or else the one that sponsors',
  params: [{ name: 'request', summary: 'Chain and EntryPoint of the operations', schema }],
  result: z.array(address),
  example: {
    params: [{ chainId: 11_155_111, entryPointAddress: exampleEntryPoint }],
    result: [examplePaymasterFields.paymaster],
  },
  errors: [...feeTokenErrors, 'CHAIN_MISMATCH'],
  async handle(params, context) {
    await checkZeroDevTarget(parse(schema, params[0], 'params[0]'), context);
    const { service, chainId, apiKey } = context;
    const { paymasterAddress } = await service.run('sponsorship.feeTokens', { chainId, apiKey });
    return [paymasterAddress];
  },
};
