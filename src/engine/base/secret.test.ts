/* eslint-disable @typescript-eslint/restrict-template-expressions, @typescript-eslint/restrict-plus-operands, @typescript-eslint/no-misused-spread -- careless printing is what is tried here */
import { format, inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Secret } from './secret.ts';

const KEY = 'hunter2-0xdeadbeef';

const viaPino = (print: (logger: pino.Logger) => void): string => {
  let text = '';
  print(pino({}, { write: (line: string) => (text += line) }));
  return text;
};

const ways: Record<string, (secret: Secret<unknown>) => string> = {
  'String()': (s) => String(s),
  template: (s) => `${s}`,
  concatenation: (s) => '' + s,
  'array join': (s) => [s, s].join(),
  'JSON.stringify': (s) => JSON.stringify(s),
  'JSON.stringify, nested': (s) => JSON.stringify({ a: [{ s }] }),
  'util.inspect': (s) => inspect(s),
  'util.inspect, nested beyond the depth': (s) => inspect({ a: { b: { c: { d: s } } } }, { depth: 9 }),
  'util.inspect, showing hidden': (s) => inspect(s, { showHidden: true, getters: true }),
  'util.inspect, without custom printers': (s) => inspect(s, { customInspect: false, showHidden: true }),
  'console.log formats': (s) => format('%s %o %O %j %d', s, s, s, s, s),
  'pino, as a field': (s) => viaPino((l) => l.info({ s }, 'x')),
  'pino, as the object': (s) => viaPino((l) => l.info(s)),
  'pino, interpolated': (s) => viaPino((l) => l.info('%s %o %j', s, s, s)),
  'pino, in a child': (s) => viaPino((l) => l.child({ s }).info('x')),
  'error message': (s) => inspect(new Error(`failed with ${s}`)),
  'error cause': (s) => inspect(new Error('failed', { cause: s })),
  spread: (s) => inspect({ ...s }),
  'Object.entries': (s) => inspect(Object.entries(s)),
  'own property names': (s) => inspect(Reflect.ownKeys(s)),
  'Object.assign': (s) => JSON.stringify(Object.assign({}, s)),
  structuredClone: (s) => inspect(structuredClone({ s })),
  'v8 serialisation (IPC)': (s) => inspect(deserialize(serialize({ s }))) + serialize({ s }).toString('latin1'),
};

test.each(Object.keys(ways))('a key is not printed by %s', (way) => {
  for (const value of [KEY, Buffer.from(KEY), { key: KEY }]) {
    const printed = ways[way]?.(new Secret(value));
    expect(printed).not.toContain(KEY);
    expect(printed).not.toContain(Buffer.from(KEY).toString('hex').slice(0, 16));
    expect(printed).not.toContain([...Buffer.from(KEY)].slice(0, 4).join(','));
  }
});

test('what hides a key also says that there is one', () => {
  const secret = new Secret(KEY);
  expect([`${secret}`, String(secret), inspect(secret), JSON.stringify({ secret })]).toEqual([
    '[secret]',
    '[secret]',
    '[secret]',
    '{"secret":"[secret]"}',
  ]);
  expect(Object.entries(secret)).toEqual([]);
});

test('reveal gives back the very value', () => {
  const value = Buffer.from(KEY);
  expect(new Secret(value).reveal()).toBe(value);
});
