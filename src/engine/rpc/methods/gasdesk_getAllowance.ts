import { z } from 'zod';
import { allowance } from '../../../api/sponsorship.ts';
import { personProof } from '../../../shared/schema/sponsorship.ts';
import { address } from '../../../shared/schema/hex.ts';
import { parse } from '../../../shared/schema/parse.ts';
import type { RpcMethod } from '../method.ts';

const user = z.object({
  sender: address.meta({ description: 'Address of the account' }),
  context: z
    .object(personProof)
    .nullish()
    .catch(undefined)
    .meta({ description: 'As with an operation: who the user is, for limits per person' }),
});

export const gasdeskGetAllowance: RpcMethod = {
  method: 'gasdesk_getAllowance',
  summary: 'How much of each spending limit is left for an account',
  params: [{ name: 'user', summary: 'The account, as {sender}', schema: user }],
  result: z.strictObject({ limits: z.array(allowance) }),
  example: {
    params: [{ sender: '0x5FbDB2315678afecb367f032d93F642f64180aa3' }],
    result: {
      limits: [
        { rule: 'Five a day', unit: 'operations', limit: '5', used: '3', remaining: '2', resetsAt: 1_769_904_000_000 },
      ],
    },
  },
  errors: ['PAYMASTER_NOT_READY'],
  handle: ([given], { service, chainId, apiKey }) => {
    const { sender, context } = parse(user, given, 'params[0]');
    return service.run('sponsorship.allowance', { chainId, apiKey, sender, ...context });
  },
};
