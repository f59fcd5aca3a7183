import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { EngineError } from '../../shared/errors.ts';
import { createLog, type LogLevel } from './log.ts';
import { Secret } from './secret.ts';

const PRIVATE_KEY = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const SIGNATURE = `0x${'5e'.repeat(65)}`;
const AUTH_TOKEN = 'gd_q83nVw0kZ1y2-4xT_5sB6uC7dE8fG9hI0jK1lM2nO3p';
const API_KEY = 'Kx2_9fQ-a.0b9f3f0e-8d1b-4c55-9b5e-2f6f3f1f7a11';
const WEBHOOK_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/3pG+YYQ4sI=';
const RPC_URL = 'https://user:p@ss1234@rpc.example.com/v2/Zr8alchemyKey?token=queryToken';

const printed = (print: (log: ReturnType<typeof createLog>) => void, level: LogLevel = 'debug'): string => {
  let text = '';
  print(createLog({ level, write: (line) => (text += line), clock: new ManualClock(0) }));
  return text;
};

test('one event is one JSON line with its level, time, name and fields', () => {
  const text = printed((log) => {
    log.info('rpc.request', { requestId: 'r1', chainId: 31337, method: 'pm_a\nb', ms: 1.5, bytes: 5n, status: null });
    log.error('engine.stopped');
  });
  expect(text.endsWith('\n')).toBe(true);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    {
      level: 'info',
      time: '1970-01-01T00:00:00.000Z',
      requestId: 'r1',
      chainId: 31337,
      method: 'pm_a\nb',
      ms: 1.5,
      bytes: '5',
      status: null,
      event: 'rpc.request',
    },
    { level: 'error', time: '1970-01-01T00:00:00.000Z', event: 'engine.stopped' },
  ]);
});

test('a quiet log stays quiet below its level, and a silent one always', () => {
  const all = (log: ReturnType<typeof createLog>): void => {
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
  };
  expect([...printed(all, 'warn').matchAll(/"event":"(.)"/g)].map((m) => m[1])).toEqual(['c', 'd']);
  expect(printed(all, 'silent')).toBe('');
});

const credentials: Record<string, string> = {
  'private key': PRIVATE_KEY,
  'private key without 0x': PRIVATE_KEY.slice(2),
  signature: SIGNATURE,
  'auth token': AUTH_TOKEN,
  'API key': API_KEY,
  'webhook secret': WEBHOOK_SECRET,
};

/** Every way in which a careless caller could pass a credential to the log. */
const smuggle = (value: string): Record<string, unknown>[] => [
  { privateKey: value },
  { [value]: 'as a name' },
  { requestId: { nested: value } },
  { requestId: [value] },
  { requestId: Buffer.from(value) },
  { requestId: () => value },
  { requestId: { toJSON: () => value } },
  { requestId: value },
  { method: `quoted "${value}", among words` },
  { method: `${'00'.repeat(900)} ${value}` },
  { method: `${'word '.repeat(3_270)}${value}` },
  { requestId: new Secret(value) },
  { err: new Error(`could not use ${value}`) },
  { err: Object.assign(new Error('failed'), { code: value, config: { headers: value } }) },
  { err: Object.assign(new Error('failed'), { name: value }) },
  { err: new EngineError('INTERNAL', 'failed', { key: value }, { cause: new Error(value) }) },
  { err: `thrown text ${value}` },
  { err: { message: value } },
  { __proto__: null, toString: value, level: value, event: value },
];

test.each(Object.keys(credentials))('no way of logging prints a %s', (name) => {
  const value = credentials[name] ?? '';
  for (const fields of smuggle(value)) {
    const text = printed((log) => log.error('careless', fields));
    expect(text).toContain('"event":"careless"');
    expect(text).not.toContain(value);
    expect(text).not.toContain(value.slice(-24));
    expect(text).not.toContain(value.slice(0, 24));
    expect(text).not.toContain(Buffer.from(value).toString('base64').slice(4, 24));
  }
});

test('a URL in an error is cut to its origin, since providers put their keys into the rest', () => {
  const text = printed((log) => log.warn('chain.failed', { err: new Error(`POST ${RPC_URL} answered 401`) }));
  for (const part of ['user', 'ss1234', 'Zr8', 'queryToken']) expect(text).not.toContain(part);
  expect(text).toContain('POST https://rpc.example.com/… answered 401');
});

test('a private key given as a number of wei is not printed', () => {
  expect(printed((log) => log.info('x', { ms: BigInt(PRIVATE_KEY) }))).not.toContain(String(BigInt(PRIVATE_KEY)));
});

test('what was dropped is counted, so that a missing field can be noticed', () => {
  const fields: Record<string, unknown> = { requestId: 'r1', token: 'x', authorization: 'y', method: undefined };
  const line = JSON.parse(printed((log) => log.info('x', fields))) as Record<string, unknown>;
  expect(line).toEqual({ level: 'info', time: expect.any(String) as string, requestId: 'r1', dropped: 2, event: 'x' });
});

test('an operator can still find an operation by its hash and an error by its code and stack', () => {
  const userOpHash = `0x${'ab'.repeat(32)}`;
  const err = new EngineError('CHAIN_UNREACHABLE', 'no answer in 5 s');
  const line = JSON.parse(printed((log) => log.info('x', { userOpHash, err }))) as Record<string, unknown>;
  expect(line.userOpHash).toBe(userOpHash);
  expect(line.err).toEqual({
    name: 'EngineError',
    code: 'CHAIN_UNREACHABLE',
    message: 'no answer in 5 s',
    stack: expect.stringContaining('log.test.ts') as string,
  });
});

test('a hostile megabyte makes a short line', () => {
  expect(printed((log) => log.info('x', { method: 'a b'.repeat(400_000) })).length).toBeLessThan(1_000);
  expect(printed((log) => log.info('x', { method: 'a'.repeat(1_000_000) })).length).toBeLessThan(1_000);
});

test('what is below the level is not kept either, and what is kept is as clean as what is written', () => {
  let text = '';
  const log = createLog({ level: 'info', write: (line) => (text += line), clock: new ManualClock(0) });
  log.debug('quiet', { reason: 'x' });
  log.info('loud', { reason: `with ${AUTH_TOKEN} at ${RPC_URL}`, err: new Error(PRIVATE_KEY) });
  expect(log.tail.since(0).map(({ json }) => json)).toEqual([text]);
  expect(text).not.toContain('quiet');
  for (const secret of [AUTH_TOKEN, 'Zr8alchemyKey', PRIVATE_KEY]) expect(text).not.toContain(secret);
});
