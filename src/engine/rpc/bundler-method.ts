import { z } from 'zod';
import type { MethodParam, RpcMethod } from './method.ts';

interface BundlerMethod extends Pick<RpcMethod, 'method' | 'summary' | 'example'> {
  readonly params?: readonly MethodParam[];
}

/** A method of ERC-7769: the operator decides whether it is passed on to the chain's bundler. */
export const bundlerMethod = ({ method, summary, example, params = [] }: BundlerMethod): RpcMethod => ({
  method,
  summary: `A bundler's method, passed on to the chain's bundler if the operator allows it: ${summary}`,
  params,
  result: z.unknown().describe("The bundler's"),
  example,
  isForwarded: true,
  errors: ['METHOD_NOT_FOUND', 'NOT_SPONSORED', 'BUNDLER_REFUSED', 'CHAIN_UNREACHABLE', 'VAULT_LOCKED'],
  handle: (given, { service, chainId, apiKey }) =>
    service.run('sponsorship.forward', { chainId, apiKey, method, params: [...given] }),
});
