import { outcome } from '../../../api/sponsorship.ts';
import { hash } from '../../../shared/schema/hex.ts';
import { parse } from '../../../shared/schema/parse.ts';
import { exampleUserOpHash } from '../examples.ts';
import type { RpcMethod } from '../method.ts';

export const gasdeskGetSponsorship: RpcMethod = {
  method: 'gasdesk_getSponsorship',
  summary: 'What became of an operation; null if Gasdesk did not sponsor it for this DApp',
  params: [{ name: 'userOpHash', summary: 'The hash of the operation, as the EntryPoint computes it', schema: hash }],
  result: outcome.nullable(),
  example: {
    params: [exampleUserOpHash],
    result: {
      outcome: 'sponsored',
      code: 'SPONSORED',
      settlement: 'settled',
      at: 1_769_869_800_000,
      actualCost: '184467000000000',
    },
  },
  errors: [],
  handle: ([userOpHash], { service, chainId, apiKey }) =>
    service.run('sponsorship.outcome', { chainId, apiKey, userOpHash: parse(hash, userOpHash, 'params[0]') }),
};
