import { createRequire } from 'node:module';
import { Ajv, type SchemaObject } from 'ajv';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { RpcMethod } from '../rpc/method.ts';
import { rpcMethods } from '../rpc/methods.ts';
import { openApiDocument } from './openapi.ts';
import { openRpcDocument } from './openrpc.ts';

interface Document {
  readonly methods: readonly { readonly name: string; readonly params: readonly { readonly name: string }[] }[];
}

const require = createRequire(import.meta.url);
// The types in these packages describe the documents, not the modules' exports.
const { openrpcDocument } = require('@open-rpc/meta-schema') as { openrpcDocument: SchemaObject };
const { jsonSchema } = require('@json-schema-tools/meta-schema') as { jsonSchema: SchemaObject };

const madeUp: RpcMethod = {
  method: 'pm_double',
  summary: 'Double a number',
  params: [{ name: 'number', summary: 'What is doubled', schema: z.number() }],
  result: z.number(),
  example: { params: [2], result: 4 },
  errors: ['CHAIN_UNREACHABLE'],
  handle: (params) => Promise.resolve(Number(params[0]) * 2),
};

test('it is what the meta-schema of OpenRPC calls a description', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  ajv.addSchema(jsonSchema, 'https://meta.json-schema.tools');
  const valid = ajv.validate(openrpcDocument, openRpcDocument());
  expect(ajv.errorsText()).toBe('No errors');
  expect(valid).toBe(true);
});

test('every method that is served is described, with params, result, errors and an example', () => {
  const { methods } = openRpcDocument() as unknown as Document;
  expect(methods.map(({ name }) => name).sort()).toEqual(rpcMethods.map(({ method }) => method).sort());
});

test.each(rpcMethods.map((one) => [one.method, one] as const))('the example of %s is one', (_name, one) => {
  const { params, result } = one.example;
  expect(params.length).toBeLessThanOrEqual(one.params.length);
  for (const [index, { schema, optional }] of one.params.entries()) {
    if (index < params.length) expect(schema.safeParse(params[index]).error).toBeUndefined();
    else expect(optional).toBe(true);
  }
  expect(one.result.safeParse(result).error).toBeUndefined();
});

test('a method that is added to the list is described in both documents', () => {
  const { methods } = openRpcDocument([...rpcMethods, madeUp]) as unknown as Document;
  expect(methods.at(-1)).toMatchObject({
    name: 'pm_double',
    params: [{ name: 'number', required: true, schema: { type: 'number' } }],
    result: { schema: { type: 'number' } },
    errors: expect.arrayContaining([{ code: -32053, message: expect.stringContaining('The chain cannot be reached') }]),
  });
  expect(JSON.stringify(openApiDocument([...rpcMethods, madeUp]))).toContain('"const":"pm_double"');
});
