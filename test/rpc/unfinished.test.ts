import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const MIB = 1024 * 1024;
const MANAGEMENT = '/api/v2/public/sdk';

/** A connection that brings something, and then no more. It is ended with the test. */
const say = (url: string, text: string): Socket => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  return socket;
};

/** Status and JSON of the answer that comes on a connection. */
const answerOn = async (socket: Socket): Promise<[status: number, body: unknown]> => {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (body.length === Number(length)) return [Number(head.slice('HTTP/1.1 '.length, 12)), JSON.parse(body)];
  }
  throw new Error(`The connection was ended: ${text}`);
};

const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

/** A request whose body is announced and does not come. */
const announced = (path: string, headers: Record<string, string> = {}, length = MIB): string => {
  const all = { Host: 'localhost', 'Content-Type': 'application/json', 'Content-Length': String(length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n[1e9,`;
};

describe('a request is answered before its body has come', () => {
  let engine: ServingEngine;
  let dapp: SponsoredDapp;
  let limited: SponsoredDapp;
  const LIMIT = 5;
  beforeAll(async () => {
    engine = await startEngine({ dir: tempFolder(), flags: { rateLimitPerKey: LIMIT } });
    [dapp, limited] = [await engine.dapp({}), await engine.dapp({})];
    const { paymasterId } = dapp;
    await engine.service.call('paymasters.setOrigins', { paymasterId, origins: ['https://app.example'] });
    for (let sent = 0; sent < LIMIT; sent += 1) await limited.sponsor({});
  });
  afterAll(() => engine.stop());

  const rpc = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });
  const missing = 'Auth token and API key is required in the headers';
  const notOperator = 'This is not the operator token of the running service';
  test.each<[string, () => string, number, object]>([
    ['with an unknown API key', () => announced('/api/v1/31337/nobody'), 401, rpc(-32051, 'Unknown API key or chain')],
    [
      'with an unknown chain',
      () => announced(`/api/v1/1/${dapp.apiKey}`),
      401,
      rpc(-32051, 'Unknown API key or chain'),
    ],
    ['with an unknown key in the header', () => announced('/rpc/31337', { apiKey: 'x' }), 401, { id: null }],
    [
      'from a foreign origin',
      () => announced(`/api/v1/31337/${dapp.apiKey}`, { Origin: 'https://evil.example' }),
      403,
      rpc(-32600, 'The origin https://evil.example may not use this API key'),
    ],
    ['over a rate limit', () => announced(`/api/v1/31337/${limited.apiKey}`), 429, { error: { code: -32029 } }],
    [
      'of more than 128 KiB',
      () => announced(`/api/v1/31337/${dapp.apiKey}`, {}, 128 * 1024 + 1),
      413,
      rpc(-32600, 'The request body is larger than 128 KiB'),
    ],
    ['without an auth token', () => announced(`${MANAGEMENT}/webhook`), 401, { statusCode: 401, message: missing }],
    [
      'with an unknown auth token',
      () => announced(`${MANAGEMENT}/webhook`, { authToken: 'x', apiKey: dapp.apiKey }),
      401,
      { statusCode: 401, message: 'Invalid auth token' },
    ],
    ['to the console without its token', () => announced('/console/call'), 401, { ok: false, message: notOperator }],
    ['to nowhere', () => announced('/nothing'), 404, { statusCode: 404, message: 'Not found' }],
  ])('%s', async (_, request, status, body) => {
    expect(await answerOn(say(engine.url, request()))).toMatchObject([status, body]);
  });
});

describe('a client that does not continue', () => {
  let engine: ServingEngine;
  let dapp: SponsoredDapp;
  beforeAll(async () => {
    engine = await startEngine({ dir: tempFolder(), flags: { requestTimeoutMs: 1_000 } });
    dapp = await engine.dapp({});
  });
  afterAll(() => engine.stop());

  test.each([
    ['in the body, with an API key', () => announced(`/api/v1/31337/${dapp.apiKey}`, {}, 1_000)],
    ['in a body that was refused', () => announced('/api/v1/31337/nobody')],
    ['in the head', () => 'POST / HTTP/1.1\r\nHost: localhost\r\nX-A'],
    ['before it says anything', () => ''],
  ])('%s is disconnected when its time is up', async (_, request) => {
    const socket = say(engine.url, request());
    socket.resume();
    await closed(socket);
  });
});

describe('more connections than are allowed', () => {
  const MAX_CONNECTIONS = 16;
  let engine: ServingEngine;
  beforeEach(async () => {
    engine = await startEngine({ dir: tempFolder(), flags: { maxConnections: MAX_CONNECTIONS } });
    onTestFinished(() => engine.stop());
  });
  const idle = async (): Promise<Socket> => {
    const socket = say(engine.url, '');
    socket.resume();
    await once(socket, 'connect');
    return socket;
  };

  /** Status of the answer to a request for a path that does not exist, on a connection of its own. */
  const statusOfAnother = async (): Promise<number> => {
    const [status] = await answerOn(say(engine.url, 'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    return status;
  };

  test('those that say nothing give way, the oldest first; those at work and the next honest request do not', async () => {
    const { authToken } = await engine.service.call('authTokens.create', {});
    const follower = say(engine.url, `GET /events HTTP/1.1\r\nHost: localhost\r\nauthToken: ${authToken}\r\n\r\n`);
    await once(follower, 'data');
    const answered = say(engine.url, 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(answered, 'data');
    answered.resume();

    const ended: number[] = [];
    const all: Promise<unknown>[] = [];
    for (let number = 0; number < 2 * MAX_CONNECTIONS; number += 1) {
      const socket = await idle();
      const end = closed(socket).then(() => ended.push(number));
      if (number < MAX_CONNECTIONS) all.push(end);
    }
    await Promise.all(all);
    expect(ended.slice(0, MAX_CONNECTIONS)).toEqual(Array.from({ length: MAX_CONNECTIONS }, (_, number) => number));

    expect(await statusOfAnother()).toBe(404);
    expect([follower.readyState, answered.readyState]).toEqual(['open', 'open']);
  });

  test('unfinished bodies give way, too', async () => {
    const { apiKey } = await engine.dapp({});
    const first = say(engine.url, announced(`/api/v1/31337/${apiKey}`, {}, 1_000));
    first.resume();
    const end = closed(first);
    await once(first, 'connect');
    for (let number = 0; number < 2 * MAX_CONNECTIONS; number += 1) await idle();
    await end;
    expect(await statusOfAnother()).toBe(404);
  });
});
