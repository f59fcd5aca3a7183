import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../src/engine/description/openapi.ts';
import { useDesk } from '../support/desk.ts';
import { nowhere, operationCases, prepare } from './fixtures.ts';

const desk = useDesk();

type Schema = Record<string, unknown>;
interface DescribedOperation {
  readonly operationId?: string;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly required: boolean; readonly content: { 'application/json': { schema: Schema } } };
  readonly responses: Record<string, { readonly content?: { 'application/json': { schema: Schema } } }>;
}

const PREFIX = '/api/v2/public/sdk';
const document = openApiDocument();
const paths = document['paths'] as Record<string, Record<string, DescribedOperation>>;
const described = (method: string, path: string) => paths[PREFIX + path]?.[method];
const bodySchema = (method: string, path: string) =>
  described(method, path)?.requestBody?.content['application/json'].schema;
const all = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

test('the checked-in description is the one that the schemas make', () => {
  const file = readFileSync(new URL('../../resources/openapi.json', import.meta.url), 'utf8');
  const refresh = 'Refresh it: npm run --silent gasdesk -- openapi > resources/openapi.json';
  expect(file, refresh).toBe(`${JSON.stringify(document, null, 2)}\n`);
});

test('a running desk serves it to anyone, without credentials', async () => {
  expect((await desk().send('GET', '/openapi.json')).body).toEqual(document);
});

test('every operation of behaviour 2.1 and behaviour 8.1 is described, and nothing else', () => {
  const expected = [
    ...['get', 'post', 'patch', 'delete'].map((method) => `${method} ${PREFIX}/webhook`),
    ...['get', 'post', 'patch'].map((method) => `${method} ${PREFIX}/paymaster`),
    ...['/funding-message', '/funding-message/{paymasterId}'].map((path) => `get ${PREFIX}${path}`),
    ...['get', 'post', 'patch', 'delete'].map((method) => `${method} ${PREFIX}/smart-contract`),
    ...['get', 'post'].map((method) => `${method} ${PREFIX}/paymaster-policy`),
    ...['get', 'patch', 'delete'].map((method) => `${method} ${PREFIX}/paymaster-policy/{ruleId}`),
    ...['get', 'post', 'delete'].map((method) => `${method} ${PREFIX}/api-key`),
    ...['/event-webhook', '/account/event-webhook'].flatMap((path) => [
      ...['get', 'post', 'patch', 'delete'].map((method) => `${method} ${PREFIX}${path}`),
      `get ${PREFIX}${path}/{webhookId}/deliveries`,
      `post ${PREFIX}${path}/{webhookId}/redeliver`,
    ]),
    ...['get', 'post', 'patch', 'delete'].map((method) => `${method} ${PREFIX}/account/alert`),
    `post ${PREFIX}/account/alert/test`,
    ...['', '/errors', '/{seq}'].map((path) => `get ${PREFIX}/rpc-request${path}`),
    ...['limit', 'deactivate', 'activate'].map((verb) => `patch ${PREFIX}/paymaster-policy/${verb}/{ruleId}`),
    ...['/api/v1/{chainId}/{apiKey}', '/api/v2/{chainId}/{apiKey}', '/rpc/{chainId}'].map((path) => `post ${path}`),
  ];
  expect(all.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(expected.sort());
});

test('it is well formed: what it refers to is there, and names are usable and used once', () => {
  const { openapi, info, components } = document as {
    openapi: string;
    info: object;
    components: { securitySchemes: Record<string, object>; schemas: Record<string, object> };
  };
  expect(openapi).toMatch(/^3\.1\./);
  expect(info).toMatchObject({ title: 'Gasdesk', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name!,
  );
  for (const name of references) expect(components.schemas).toHaveProperty(name);
  for (const { path, operation } of all) {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
    expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(operation.responses).toHaveProperty('200');
    for (const scheme of operation.security.flatMap(Object.keys))
      expect(components.securitySchemes).toHaveProperty(scheme);
  }
  const ids = all.map(({ operation }) => operation.operationId).filter((id) => id !== undefined);
  for (const id of ids) expect(id).toMatch(/^[a-z]\w+$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(JSON.stringify(paths)).not.toContain('$schema');
});

test('credentials are described per operation', () => {
  for (const { path, operation } of all.filter((one) => one.path.startsWith(PREFIX))) {
    const ofDapps = path === `${PREFIX}/paymaster` && !operation.operationId?.startsWith('patch');
    const accountOnly = ofDapps || path.startsWith(`${PREFIX}/account/`);
    expect(operation.security).toEqual([accountOnly ? { authToken: [] } : { authToken: [], apiKey: [] }]);
  }
});

describe('request bodies are described field by field', () => {
  const field = (schema: Schema | undefined, name: string) =>
    (schema?.['properties'] as Record<string, Schema> | undefined)?.[name];
  const rule = (index: number) => (bodySchema('post', '/paymaster-policy')?.['oneOf'] as Schema[])[index];
  const limitUpdate = () => bodySchema('patch', '/paymaster-policy/limit/{ruleId}');

  test.each<[name: string, schema: () => Schema | undefined, expected: Schema]>([
    ['paymaster.name', () => field(bodySchema('post', '/paymaster'), 'name'), { type: 'string', maxLength: 100 }],
    ['paymaster.type', () => field(bodySchema('post', '/paymaster'), 'type'), { const: 'HYBRID' }],
    ['paymaster.chainId', () => field(bodySchema('post', '/paymaster'), 'chainId'), { type: 'integer' }],
    ['paymaster.version', () => field(bodySchema('post', '/paymaster'), 'version'), { type: 'string' }],
    ['funding.type', () => field(bodySchema('patch', '/paymaster'), 'type'), { const: 'paymasterFundingId' }],
    [
      'funding.address',
      () => field(bodySchema('patch', '/paymaster'), 'address'),
      { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    ],
    ['webhook.requestType', () => field(bodySchema('post', '/webhook'), 'requestType'), { enum: ['GET', 'POST'] }],
    ['webhook.active', () => field(bodySchema('patch', '/webhook'), 'active'), { type: 'boolean' }],
    [
      'contract.whitelistedMethods',
      () => field(bodySchema('post', '/smart-contract'), 'whitelistedMethods'),
      { type: 'array', items: { type: 'string' } },
    ],
    ['rule.policyType', () => field(rule(0), 'policyType'), { const: 'PAYMASTER_SA_LIMIT' }],
    ['rule.threshold', () => field(field(rule(0), 'policyData'), 'threshold'), { type: 'number', exclusiveMinimum: 0 }],
    [
      'rule.cycleDuration.unit',
      () => field(field(field(rule(0), 'policyData'), 'cycleDuration'), 'unit'),
      { enum: ['hour', 'day', 'week', 'lifetime'] },
    ],
    ['rule.url', () => field(field(rule(1), 'policyData'), 'url'), { type: 'string', maxLength: 2048 }],
    ['rule.policyData', () => field(rule(2), 'policyData'), { type: 'object', additionalProperties: false }],
    ['limit.threshold', () => field(limitUpdate(), 'threshold'), { type: 'number', exclusiveMinimum: 0 }],
    [
      'limit.cycleDuration',
      () => field(limitUpdate(), 'cycleDuration'),
      {
        description: expect.stringContaining('"3 hours"'),
        anyOf: [{ type: 'object', required: ['value', 'unit'] }, { type: 'string' }],
      },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(schema()).toMatchObject(expected);
  });

  test('required and optional fields', () => {
    const required = (method: string, path: string) => bodySchema(method, path)?.['required'];
    expect(required('post', '/paymaster')).toEqual(['name', 'type', 'chainId', 'version']);
    expect(required('patch', '/paymaster')).toEqual(['paymasterId', 'type', 'signature', 'address']);
    expect(required('post', '/webhook')).toEqual(['webhookUrl', 'requestType']);
    expect(required('patch', '/webhook')).toEqual(['webhookId', 'active']);
    expect(required('delete', '/webhook')).toEqual(['webhookId']);
    expect(required('post', '/smart-contract')).toEqual(['name', 'address', 'abi']);
    expect(required('patch', '/smart-contract')).toEqual(['address', 'whitelistedMethods']);
    expect(required('delete', '/smart-contract')).toEqual(['address']);
    expect(rule(0)?.['required']).toEqual(['name', 'policyType', 'policyData']);
    expect(limitUpdate()).not.toHaveProperty('required');
    expect(described('patch', '/paymaster-policy/activate/{ruleId}')?.requestBody?.required).toBe(false);
    expect(described('post', '/webhook')?.requestBody?.required).toBe(true);
  });
});

const template = (path: string): string =>
  path
    .replace(/^(\/paymaster-policy\/\w+)\/.*/, '$1/{ruleId}')
    .replace(/^\/paymaster-policy\/[\da-f-]{36}$/, '/paymaster-policy/{ruleId}')
    .replace(/^(\/funding-message)\/.*/, '$1/{paymasterId}')
    .replace(/^(\/rpc-request)\/\d+$/, '$1/{seq}')
    .replace(/(\/event-webhook)\/[\da-f-]{36}/, '$1/{webhookId}');

test('what the desk answers is what the description promises, for every operation', async () => {
  for (const { name } of operationCases(nowhere)) {
    const dapp = await desk().dapp();
    const { method, path, body } = operationCases(await prepare(desk(), dapp)).find((one) => one.name === name)!;
    const promised = described(method.toLowerCase(), template(path))!.responses;
    const send = (headers: Record<string, string>) => desk().manage(method, path, { headers, body });
    const answer = await send(dapp.credentials);
    const error = z.fromJSONSchema((document['components'] as { schemas: { Error: Schema } }).schemas.Error);
    // A garbage signature cannot succeed; its refusal is described like all others.
    const success =
      answer.statusCode === 200 ? z.fromJSONSchema(promised['200']!.content!['application/json'].schema) : error;
    expect(success.safeParse(answer).error?.issues, name).toBeUndefined();
    expect(answer.statusCode, name).toBe(name === 'update funding wallet' ? 400 : 200);
    const refusal = await send({});
    expect(error.safeParse(refusal).error?.issues, name).toBeUndefined();
    expect(promised).toHaveProperty(String(refusal.statusCode));
  }
});
