import { beforeAll, expect, test } from 'vitest';
import { type Answer, type TestDapp, useDesk } from '../support/desk.ts';
import { operation, sponsorRequest } from '../support/operations.ts';

/**
 * Requests that send nothing unusual are answered before the router. Each request is sent twice: as plain as can be, and
 * with a charset, which the router reads.
 */
const desk = useDesk();
let dapp: TestDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
});

const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
const request = sponsorRequest([op, { mode: 'SPONSORED' }], 'an id');
const PLAIN = { 'content-type': 'application/json' };
const OTHER = { 'content-type': 'application/json; charset=utf-8' };

const answerOf = ({ status, headers, body }: Answer) => {
  const { date: _, ...rest } = headers;
  return { status, headers: rest, body };
};

const path = (key = dapp.credentials.apiKey, chain: number | string = 31337): string => `/api/v1/${chain}/${key}`;

test.each<[string, () => string, string | Buffer]>([
  ['a request', path, JSON.stringify(request)],
  ['version 2 of the path', () => path().replace('v1', 'v2'), JSON.stringify(request)],
  ['a number as id', path, JSON.stringify({ ...request, id: 7 })],
  ['a number with an exponent as id', path, '{"jsonrpc":"2.0","id":1e2,"method":"none","params":[]}'],
  ['no id', path, JSON.stringify({ ...request, id: undefined })],
  ['no params', path, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_supportedEntryPoints' })],
  ['another version', path, JSON.stringify({ ...request, jsonrpc: '1.0' })],
  ['an unknown method', path, JSON.stringify({ ...request, method: 'nothing' })],
  ['a batch', path, JSON.stringify([request, { ...request, method: 'nothing' }])],
  ['an empty batch', path, '[]'],
  ['no JSON', path, '{"jsonrpc":'],
  ['no UTF-8', path, Buffer.from([0x22, 0xff, 0x22])],
  ['an unknown key', () => path('nobody'), JSON.stringify(request)],
  ['an unknown key and no JSON', () => path('nobody'), 'x'],
  ['another chain', () => path(undefined, 137), JSON.stringify(request)],
  ['no chain', () => path(undefined, 0), JSON.stringify(request)],
  ['too many values', path, JSON.stringify({ ...request, params: Array(5_000).fill(1) })],
  ['a body above the limit', path, JSON.stringify({ ...request, more: 'x'.repeat(2 * 1024 * 1024) })],
])('%s gets the same answer as from the router', async (_what, where, body) => {
  const send = (headers: Record<string, string>): Promise<Answer> => desk().send('POST', where(), { headers, body });
  const plain = answerOf(await send(PLAIN));
  expect(plain).toEqual(answerOf(await send(OTHER)));
  expect(plain.headers['content-type']).toBe('application/json; charset=utf-8');
});
