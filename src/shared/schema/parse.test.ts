import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EngineError } from '../errors.ts';
import { name } from './text.ts';
import { parse } from './parse.ts';

const errorOf = (schema: z.ZodType, value: unknown, root?: string): EngineError => {
  try {
    parse(schema, value, root);
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error('It parsed');
};
const errorsOf = (schema: z.ZodType, value: unknown, root?: string): unknown =>
  errorOf(schema, value, root).data['errors'];

test('what is right comes out as the schema makes it', () => {
  const schema = z.strictObject({ a: z.string().transform((text) => text.length), b: z.number().optional() });
  expect(parse(schema, { a: 'abc' })).toEqual({ a: 3 });
});

describe('an error names its field and what is to be there', () => {
  test.each<[schema: z.ZodType, value: unknown, error: string]>([
    [z.string(), 1, 'must be a string'],
    [z.string(), undefined, 'must be a string'],
    [z.number(), '1', 'must be a number'],
    [z.number(), Number.NaN, 'must be a number'],
    [z.number(), Number.POSITIVE_INFINITY, 'must be a number'],
    [z.boolean(), 0, 'must be a boolean value'],
    [z.array(z.string()), {}, 'must be an array'],
    [z.tuple([z.string()]), 'a', 'must be an array'],
    [z.strictObject({}), [], 'must be an object'],
    [z.strictObject({}), null, 'must be an object'],
    [z.record(z.string(), z.string()), 1, 'must be an object'],
    [z.literal('HYBRID'), 'X', 'must be HYBRID'],
    [z.enum(['GET', 'POST']), 'PUT', 'must be one of: GET, POST'],
    [z.enum(['GET', 'POST']), undefined, 'must be one of: GET, POST'],
    [z.string().min(1), '', 'should not be empty'],
    [name, '', 'should not be empty'],
    [name, ' ', 'should not be empty'],
    [z.string().max(3), 'abcd', 'must have at most 3 characters'],
    [z.int().nonnegative(), -1, 'must be at least 0'],
    [z.number().positive(), 0, 'must be above 0'],
    [z.int().max(8), 9, 'must be at most 8'],
    [z.number().lt(8), 8, 'must be below 8'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 items'],
    [z.string('must be a JSON ABI string'), 1, 'must be a JSON ABI string'],
    [z.union([z.string(), z.number()]), null, 'is not valid'],
    [z.string().regex(/a/), 'b', 'is not valid'],
  ])('%#: %j', (schema, value, error) => {
    expect(errorOf(z.strictObject({ field: schema }), { field: value })).toMatchObject({
      code: 'VALIDATION',
      message: `field ${error}`,
      data: { errors: [`field ${error}`] },
    });
  });
});

test('a missing field of any type must be given', () => {
  expect(errorOf(z.strictObject({ field: z.unknown() }), {}).message).toBe('field must be given');
});

describe('the name of a field', () => {
  const list = z.strictObject({ list: z.array(z.strictObject({ a: z.string() })) });
  const data = z.strictObject({
    policyData: z.strictObject({ url: z.string(), cycle: z.strictObject({ unit: z.string() }) }),
  });

  test.each<[name: string, schema: z.ZodType, value: unknown, root: string, errors: string[]]>([
    ['of the whole', z.strictObject({}), 7, '', ['body must be an object']],
    ['of the whole under a root', z.strictObject({}), 7, 'params[1]', ['params[1] must be an object']],
    ['in a list', list, { list: [{ a: 'x' }, { a: 1 }] }, '', ['list[1].a must be a string']],
    ['under a root', list, { list: [1] }, 'params[0]', ['params[0].list[0] must be an object']],
    ['in a list under a root', z.array(z.string()), [1], 'params', ['params[0] must be a string']],
    [
      'without policyData, as clients know it',
      data,
      { policyData: { url: 1, cycle: {} } },
      '',
      ['url must be a string', 'cycle.unit must be a string'],
    ],
    ['policyData itself', data, {}, '', ['policyData must be an object']],
    [
      'text in place of a short list',
      z.strictObject({ a: z.array(z.string()).max(2) }),
      { a: 'xyz' },
      '',
      ['a must be an array'],
    ],
    ['unknown', z.strictObject({}), { a: 1, b: 2 }, '', ['a should not exist', 'b should not exist']],
    ['unknown, deeper', list, { list: [{ a: 'x', b: 1 }] }, '', ['list[0].b should not exist']],
    ['empty', z.strictObject({}), { '': 1 }, '', ['"" should not exist']],
    [
      'empty, deeper',
      data,
      { policyData: { url: 'a', cycle: { unit: 'b', '': 1 } } },
      '',
      ['cycle."" should not exist'],
    ],
  ])('%s', (_name, schema, value, root, errors) => {
    expect(errorsOf(schema, value, root)).toEqual(errors);
  });

  test.each(['__proto__', 'constructor', 'toString'])('of an unknown %s', (key) => {
    expect(errorsOf(z.strictObject({}), JSON.parse(`{"${key}":{"a":1}}`))).toEqual([`${key} should not exist`]);
  });

  test('of a megabyte is cut', () => {
    const { message } = errorOf(z.strictObject({}), { ['k'.repeat(1_000_000)]: 1 });
    expect(message).toBe(`${'k'.repeat(100)}… should not exist`);
  });
});

describe('several errors', () => {
  const schema = z.strictObject({ b: z.string(), a: z.number(), c: z.boolean() });

  test('are reported in the order of the fields, unknown ones last; the first is the message', () => {
    const { message, data } = errorOf(schema, { z: 1, c: 1, a: 'x' });
    expect(data['errors']).toEqual([
      'b must be a string',
      'a must be a number',
      'c must be a boolean value',
      'z should not exist',
    ]);
    expect(message).toBe('b must be a string');
  });

  test('are reported up to the twentieth', () => {
    expect(
      errorsOf(
        z.array(z.string()),
        Array.from({ length: 1000 }, () => 1),
      ),
    ).toHaveLength(20);
  });
});

describe('a body of one of several kinds', () => {
  const kinds = z.discriminatedUnion('kind', [
    z.strictObject({ name: z.string(), kind: z.literal('A'), size: z.number(), only: z.string() }),
    z.strictObject({ name: z.string(), kind: z.literal('B'), size: z.number() }),
  ]);
  const KIND = 'kind must be one of: A, B';

  test.each<[value: unknown, errors: string[]]>([
    [{}, ['name must be a string', KIND, 'size must be a number']],
    [{ name: 'n', size: 1 }, [KIND]],
    [{ name: 'n', kind: 'C', size: '1', more: 1 }, [KIND, 'size must be a number', 'more should not exist']],
    [{ kind: '__proto__', name: 'n', size: 1 }, [KIND]],
    [{ kind: { toString: 1 }, name: 'n', size: 1 }, [KIND]],
    [{ name: 'n', kind: 'A', size: 1 }, ['only must be a string']],
    [{ kind: 'B', size: 1, only: 'x' }, ['name must be a string', 'only should not exist']],
    [[], ['body must be an object']],
    [null, ['body must be an object']],
  ])('%j', (value, errors) => {
    expect(errorsOf(kinds, value)).toEqual(errors);
  });
});

test('next to errors that are all of unknown fields, the fields that exist in its place', () => {
  const schema = z.strictObject({ name: z.string(), cycle: z.strictObject({ value: z.number(), unit: z.string() }) });
  const fieldsOf = (value: unknown): unknown => errorOf(schema, value).data['fields'];
  expect(fieldsOf({ name: 'n', cycle: { value: 1, unit: 'day', length: 1 } })).toEqual(['value', 'unit']);
  expect(fieldsOf({ name: 'n', cycle: { value: 1, unit: 'day' }, size: 1 })).toEqual(['name', 'cycle']);
  expect(fieldsOf({ name: 'n', size: 1 })).toBeUndefined();
});
