import { z } from 'zod';
import { address } from '../../../shared/schema/hex.ts';
import { exampleEntryPoint } from '../examples.ts';
import type { RpcMethod } from '../method.ts';
import { dappOf } from '../params.ts';

export const pmSupportedEntryPoints: RpcMethod = {
  method: 'pm_supportedEntryPoints',
  summary: 'The EntryPoint of the DApp, as a list',
  params: [],
  result: z.array(address),
  example: { params: [], result: [exampleEntryPoint] },
  errors: ['VERSION_NOT_SUPPORTED'],
  async handle(_params, context) {
    const { entryPoint } = await dappOf(context);
    return [entryPoint];
  },
};
