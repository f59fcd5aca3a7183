import { z } from 'zod';
import { toQuantity } from '../../shared/schema/quantity.ts';
import { version } from '../base/version.ts';
import type { RpcMethod } from './method.ts';

type ChainMethod = Pick<RpcMethod, 'method' | 'summary'> & {
  readonly example: string;
  readonly tell: (chainId: number) => string;
};

const telling = ({ tell, example, ...named }: ChainMethod): RpcMethod => ({
  ...named,
  params: [],
  result: z.string(),
  example: { params: [], result: example },
  errors: [],
  handle: (_params, { chainId }) => Promise.resolve(tell(chainId)),
});

export const tellingChain = (
  method: string,
  tell: (chainId: number) => string = (id) => toQuantity(BigInt(id)),
): RpcMethod => telling({ method, summary: 'The chain that this address serves', example: tell(11_155_111), tell });

export const tellingVersion = (method: string, before = ''): RpcMethod => {
  const name = `${before}Gasdesk/${version}`;
  return telling({ method, summary: 'Who answers, and in which version', example: name, tell: () => name });
};
