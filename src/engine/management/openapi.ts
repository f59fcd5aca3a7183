import Router from '@koa/router';
import { z } from 'zod';
import { partialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { sponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import { version } from '../version.ts';
import type { Operation } from './operation.ts';
import { MANAGEMENT_PREFIX, operations } from './operations.ts';

type Json = Record<string, unknown>;

const jsonSchema = (schema: z.ZodType): Json => {
  const { $schema: _draft, ...description } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ path, jsonSchema: described }) => {
      // Digits inside the service, a JSON number of these digits on this interface.
      if (path.at(-1) === 'threshold' && described.type === 'string') described.type = 'number';
    },
  });
  return description;
};

const content = (schema: Json): Json => ({ 'application/json': { schema } });

const successSchema = ({ message, data }: Operation): Json => ({
  type: 'object',
  required: ['statusCode', 'message', ...(data ? ['data'] : [])],
  properties: { statusCode: { const: 200 }, message: { const: message }, ...(data && { data: jsonSchema(data) }) },
  additionalProperties: false,
});

const faultSchema = {
  type: 'object',
  required: ['statusCode', 'message'],
  properties: {
    statusCode: { type: 'integer', description: 'The HTTP status' },
    message: { type: 'string' },
    errors: { type: 'array', items: { type: 'string' }, description: 'Every fault of the request, `message` first' },
  },
  additionalProperties: false,
};

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** GET with a body is possible on the wire but not in OpenAPI clients; it is left out of the description. */
const requestBody = ({ method, body }: Operation): Json =>
  method === 'get'
    ? {}
    : { requestBody: { required: !body.safeParse({}).success, content: content(jsonSchema(body)) } };

const describe = (operation: Operation): Json => {
  const { method, path, summary, message, access, query = [], statuses = [] } = operation;
  const security = access === 'account' ? { authToken: [] } : { authToken: [], apiKey: [] };
  const faults = [400, 401, ...statuses, 'default'].map((status) => [
    status,
    { description: 'Refused', content: content({ $ref: '#/components/schemas/Fault' }) },
  ]);
  return {
    summary,
    operationId: `${method}${path.replaceAll(/[/:-]+(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    security: [security],
    parameters: [
      ...pathParameters(path),
      ...query.map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } })),
    ],
    ...requestBody(operation),
    responses: {
      '200': { description: message, content: content(successSchema(operation)) },
      ...Object.fromEntries(faults),
    },
  };
};

const managementPaths = (): Json => {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = MANAGEMENT_PREFIX + openApiPath(operation.path);
    paths[path] = { ...paths[path], [operation.method]: describe(operation) };
  }
  return paths;
};

const rpcSchema = (): Json => ({
  type: 'object',
  required: ['jsonrpc', 'id', 'method', 'params'],
  properties: {
    jsonrpc: { enum: ['2.0', '2.0.0'] },
    id: { type: ['string', 'number'] },
    method: { const: 'pm_sponsorUserOperation' },
    params: {
      type: 'array',
      prefixItems: [jsonSchema(partialUserOperation), jsonSchema(sponsorshipOptions)],
      minItems: 2,
      maxItems: 2,
    },
  },
});

const rpcPaths = (): Json => {
  const parameter = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } });
  const post = (parameters: Json[], security: Json[]): Json => ({
    post: {
      summary: 'JSON-RPC 2.0, single or batch of at most 20',
      security,
      parameters,
      requestBody: { required: true, content: content({ $ref: '#/components/schemas/RpcRequest' }) },
      responses: { '200': { description: 'A JSON-RPC response, or an array of them for a batch' } },
    },
  });
  return {
    '/api/v1/{chainId}/{apiKey}': post([parameter('chainId'), parameter('apiKey')], []),
    '/api/v2/{chainId}/{apiKey}': post([parameter('chainId'), parameter('apiKey')], []),
    '/rpc/{chainId}': post([parameter('chainId')], [{ apiKey: [] }]),
  };
};

/** The OpenAPI 3.1 description of the service, made from the schemas that check its requests. */
export const openApiDocument = (): Json => ({
  openapi: '3.1.0',
  info: { title: 'Gasdesk', version, description: 'ERC-4337 paymaster management and sponsorship' },
  paths: { ...managementPaths(), ...rpcPaths() },
  components: {
    securitySchemes: {
      authToken: { type: 'apiKey', in: 'header', name: 'authToken' },
      apiKey: { type: 'apiKey', in: 'header', name: 'apiKey' },
    },
    schemas: { Fault: faultSchema, RpcRequest: rpcSchema() },
  },
});

/** Serves the description at `/openapi.json`. */
export const openApiRouter = (): Router => {
  const router = new Router();
  const document = openApiDocument();
  router.get('/openapi.json', (context) => {
    context.body = document;
  });
  return router;
};
