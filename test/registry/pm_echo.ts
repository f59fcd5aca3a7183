import { z } from 'zod';
import type { RpcMethod } from '../../src/engine/rpc/method.ts';

/** A JSON-RPC method that the product does not have. */
export const pmEcho: RpcMethod = {
  method: 'pm_echo',
  summary: 'What was sent',
  params: [{ name: 'said', summary: 'Anything', schema: z.string() }],
  result: z.string(),
  example: { params: ['hello'], result: 'hello' },
  errors: [],
  handle: ([said]) => Promise.resolve(said),
};
