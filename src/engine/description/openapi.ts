import type { z } from 'zod';
import type { Operation } from '../management/operation.ts';
import { MANAGEMENT_PREFIX, operations } from '../management/operations.ts';
import type { RpcMethod } from '../rpc/method.ts';
import { rpcMethods } from '../rpc/methods.ts';
import { version } from '../base/version.ts';
import { type Json, createDescriber } from './json-schema.ts';

type Describe = (schema: z.ZodType) => Json;

const content = (schema: Json): Json => ({ 'application/json': { schema } });

const successSchema = (describe: Describe, { message, data }: Operation): Json => ({
  type: 'object',
  required: ['statusCode', 'message', ...(data ? ['data'] : [])],
  properties: { statusCode: { const: 200 }, message: { const: message }, ...(data && { data: describe(data) }) },
  additionalProperties: false,
});

const errorSchema = {
  type: 'object',
  required: ['statusCode', 'message'],
  properties: {
    statusCode: { type: 'integer', description: 'The HTTP status' },
    message: { type: 'string' },
    errors: { type: 'array', items: { type: 'string' }, description: 'Every error of the request, `message` first' },
    hint: { type: 'string', description: 'What would help, such as the fields that exist' },
  },
  additionalProperties: false,
};

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** HTTP allows a body in a GET request, but OpenAPI clients do not, so the description omits it. */
const requestBody = (describe: Describe, { method, body }: Operation): Json =>
  method === 'get' ? {} : { requestBody: { required: !body.safeParse({}).success, content: content(describe(body)) } };

const operationOf = (describe: Describe, operation: Operation): Json => {
  const { method, path, summary, message, access, changes, query = [], statuses = [] } = operation;
  const security = access === 'account' ? { authToken: [] } : { authToken: [], apiKey: [] };
  const errors = [400, 401, ...(changes || access === 'dapp' ? [403] : []), ...statuses, 'default'].map((status) => [
    status,
    { description: 'Refused', content: content({ $ref: '#/components/schemas/Error' }) },
  ]);
  return {
    summary,
    operationId: `${method}${path.replaceAll(/[/:-]+(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    security: [security],
    parameters: [
      ...pathParameters(path),
      ...query.map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } })),
    ],
    ...requestBody(describe, operation),
    responses: {
      '200': { description: message, content: content(successSchema(describe, operation)) },
      ...Object.fromEntries(errors),
    },
  };
};

const managementPaths = (describe: Describe): Json => {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = MANAGEMENT_PREFIX + openApiPath(operation.path);
    paths[path] = { ...paths[path], [operation.method]: operationOf(describe, operation) };
  }
  return paths;
};

const rpcResponse = (member: 'result' | 'error', schema: Json): Json => ({
  type: 'object',
  required: ['jsonrpc', 'id', member],
  properties: { jsonrpc: { const: '2.0' }, id: { type: ['string', 'number', 'null'] }, [member]: schema },
  additionalProperties: false,
});

const rpcError = {
  type: 'object',
  required: ['code', 'message'],
  properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
  additionalProperties: false,
};

const rpcSchemas = (describe: Describe, methods: readonly RpcMethod[]): Json => {
  const request = ({ method, summary, params }: RpcMethod): Json => ({
    title: method,
    description: summary,
    type: 'object',
    required: ['jsonrpc', 'id', 'method', ...(params.some(({ optional }) => !optional) ? ['params'] : [])],
    properties: {
      jsonrpc: { enum: ['2.0', '2.0.0'] },
      id: { type: ['string', 'number'] },
      method: { const: method },
      params: {
        type: 'array',
        ...(params.length > 0 && { prefixItems: params.map(({ schema }) => describe(schema)) }),
        minItems: params.filter(({ optional }) => !optional).length,
        maxItems: params.length,
      },
    },
  });
  const batch = (name: string): Json => ({
    type: 'array',
    minItems: 1,
    maxItems: 20,
    items: { $ref: `#/components/schemas/${name}` },
  });
  return {
    RpcCall: { oneOf: methods.map(request) },
    RpcRequest: { oneOf: [{ $ref: '#/components/schemas/RpcCall' }, batch('RpcCall')] },
    RpcAnswer: {
      anyOf: [
        ...methods.map(({ method, result }) => ({ title: method, ...rpcResponse('result', describe(result)) })),
        rpcResponse('error', rpcError),
      ],
    },
    RpcResponse: { anyOf: [{ $ref: '#/components/schemas/RpcAnswer' }, batch('RpcAnswer')] },
  };
};

const rpcPaths = (): Json => {
  const parameter = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } });
  const post = (parameters: Json[], security: Json[]): Json => ({
    post: {
      summary: 'JSON-RPC 2.0, single or batch of at most 20',
      security,
      parameters,
      requestBody: { required: true, content: content({ $ref: '#/components/schemas/RpcRequest' }) },
      responses: {
        '200': {
          description: 'A JSON-RPC response, or an array of them for a batch',
          content: content({ $ref: '#/components/schemas/RpcResponse' }),
        },
        default: {
          description: 'The JSON-RPC response of a single request that failed',
          content: content({ $ref: '#/components/schemas/RpcResponse' }),
        },
      },
    },
  });
  return {
    '/api/v1/{chainId}/{apiKey}': post([parameter('chainId'), parameter('apiKey')], []),
    '/api/v2/{chainId}/{apiKey}': post([parameter('chainId'), parameter('apiKey')], []),
    '/rpc/{chainId}': post([parameter('chainId')], [{ apiKey: [] }]),
  };
};

/** The OpenAPI 3.1 description, generated from the schemas that validate requests. */
export const openApiDocument = (methods: readonly RpcMethod[] = rpcMethods): Json => {
  const { describe, components } = createDescriber();
  const paths = { ...managementPaths(describe), ...rpcPaths() };
  const schemas = { Error: errorSchema, ...rpcSchemas(describe, methods) };
  return {
    openapi: '3.1.0',
    info: { title: 'Gasdesk', version, description: 'ERC-4337 paymaster management and sponsorship' },
    paths,
    components: {
      securitySchemes: {
        authToken: { type: 'apiKey', in: 'header', name: 'authToken' },
        apiKey: { type: 'apiKey', in: 'header', name: 'apiKey' },
      },
      schemas: { ...schemas, ...components },
    },
  };
};
