import { z } from 'zod';
import { toQuantity } from '../../shared/schema/quantity.ts';
import { version } from '../base/version.ts';
import type { RpcMethod } from './method.ts';

type ChainMethod = Pick<RpcMethod, 'method' | 'summary'> & {
  readonly example: string;
  readonly nameOf: (chainId: number) => string;
};

const constantMethod = ({ nameOf, example, ...named }: ChainMethod): RpcMethod => ({
  ...named,
  params: [],
  result: z.string(),
  example: { params: [], result: example },
  errors: [],
  handle: (_params, { chainId }) => Promise.resolve(nameOf(chainId)),
});

export const chainMethod = (
  method: string,
  nameOf: (chainId: number) => string = (id) => toQuantity(BigInt(id)),
): RpcMethod =>
  constantMethod({ method, summary: 'The id of the chain that this URL serves', example: nameOf(11_155_111), nameOf });

export const versionMethod = (method: string, before = ''): RpcMethod => {
  const name = `${before}Gasdesk/${version}`;
  return constantMethod({ method, summary: 'Name and version of the server', example: name, nameOf: () => name });
};
