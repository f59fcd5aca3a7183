import { type ErrorCode, errorTable } from '../../shared/errors.ts';
import { type RpcMethod, commonErrors } from '../rpc/method.ts';
import { rpcMethods } from '../rpc/methods.ts';
import { version } from '../base/version.ts';
import { type Json, createDescriber } from './json-schema.ts';

/** Each JSON-RPC error code once, with the titles of all errors that use it. */
const errorsOf = ({ errors }: RpcMethod): Json[] => {
  const titles = new Map<number, Set<string>>();
  for (const code of new Set<ErrorCode>([...commonErrors, ...errors])) {
    const { rpc, title } = errorTable[code];
    titles.set(rpc, (titles.get(rpc) ?? new Set()).add(title));
  }
  return [...titles]
    .sort(([a], [b]) => b - a)
    .map(([code, messages]) => ({ code, message: [...messages].join('; or: ') }));
};

/** The OpenRPC 1.3 description, generated from the schemas that validate requests. */
export const openRpcDocument = (methods: readonly RpcMethod[] = rpcMethods): Json => {
  const { describe, components } = createDescriber();
  const described = methods.map((one) => ({
    name: one.method,
    summary: one.summary,
    paramStructure: 'by-position',
    params: one.params.map(({ name, summary, schema, optional }) => ({
      name,
      summary,
      required: optional !== true,
      schema: describe(schema),
    })),
    result: { name: 'result', schema: describe(one.result) },
    errors: errorsOf(one),
    examples: [
      {
        name: one.method,
        params: one.example.params.map((value, index) => ({ name: one.params[index]?.name ?? String(index), value })),
        result: { name: 'result', value: one.example.result },
      },
    ],
  }));
  return {
    openrpc: '1.3.2',
    info: { title: 'Gasdesk', version, description: 'ERC-4337 sponsorship of user operations' },
    methods: described,
    components: { schemas: components },
  };
};
