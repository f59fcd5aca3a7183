import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const lines: string[] = [];
let engine: Engine;
let url: string;
let host: string;
let authorization: string;

const start = (consoleFolder?: string): Promise<Engine> =>
  createEngine({
    folder: openDataFolder(tempFolder()),
    config: loadConfig({ flags: { port: 0 } }),
    log: createLog({ level: 'info', write: (line) => lines.push(line) }),
    ...(consoleFolder !== undefined && { consoleFolder }),
  });

beforeAll(async () => {
  const root = tempFolder();
  const folder = join(root, 'renderer');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<p>console</p>');
  writeFileSync(join(folder, 'assets', 'page.js'), 'export {}');
  writeFileSync(join(folder, 'assets', 'page-Ab3_-x9Z.js'), 'export {}');
  writeFileSync(join(folder, 'assets', 'text-Ab3_-x9Z.woff2'), 'wOF2');
  writeFileSync(join(root, 'secret.html'), 'secret');
  engine = await start(folder);
  url = await engine.serve();
  ({ host } = new URL(url));
  authorization = `Bearer ${engine.operatorToken.reveal()}`;
});
afterAll(() => engine.stop());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends what no browser would: any Host, any Origin, any path. */
const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });

const call = (headers: Record<string, string>, body: unknown = { name: 'system.info', input: {} }): Promise<Answer> =>
  send('POST', '/console/call', { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

describe('a holder of the operator token', () => {
  test('calls procedures, from the page or from a program', async () => {
    for (const origin of [{}, { origin: `http://${host}` }]) {
      const { status, text } = await call({ authorization, ...origin });
      expect([status, JSON.parse(text)]).toEqual([200, { ok: true, output: expect.objectContaining({ url }) }]);
    }
  });

  test.each([
    ['an unknown procedure', { name: 'no.such', input: {} }, 400, 'METHOD_NOT_FOUND'],
    ['an inherited member', { name: 'toString', input: {} }, 400, 'METHOD_NOT_FOUND'],
    ['no name', { input: {} }, 400, 'METHOD_NOT_FOUND'],
    ['a name that is no text', { name: 5, input: {} }, 400, 'METHOD_NOT_FOUND'],
    ['no object', ['system.info'], 400, 'METHOD_NOT_FOUND'],
    ['null', null, 400, 'VALIDATION'],
    ['an unknown key', { name: 'decisions.list', input: { all: true } }, 400, 'VALIDATION'],
    ['what does not exist', { name: 'decisions.show', input: { decisionId: 'x' } }, 404, 'DECISION_NOT_FOUND'],
  ])('an answer names what is wrong with %s', async (_what, body, status, code) => {
    const answer = await call({ authorization }, body);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      { ok: false, code, message: expect.any(String), data: expect.any(Object) },
    ]);
  });

  test('finds the token in no log line', async () => {
    await call({ authorization });
    // Only refused requests are logged at this level.
    await call({ authorization, origin: 'null' });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join()).not.toContain(engine.operatorToken.reveal());
  });
});

describe('without the operator token nothing of the desk is served', () => {
  test.each<[string, Record<string, string>]>([
    ['no token', {}],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another one', { authorization: `Bearer ${'A'.repeat(43)}` }],
    ['its beginning', { authorization: 'Bearer A' }],
    ['it in a header of another interface', { authToken: 'x' }],
  ])('%s', async (_what, headers) => {
    for (const answer of [await call(headers), await send('GET', '/console/events', headers)]) {
      expect(answer.status).toBe(401);
      expect(answer.text).toContain('operator token');
      expect(answer.text).not.toContain('output');
    }
  });

  test('the token in the address opens nothing: addresses stand in logs and histories', async () => {
    const token = engine.operatorToken.reveal();
    expect((await send('GET', `/console/events?token=${token}&after=0`)).status).toBe(401);
  });

  test.each(['read', 'manage'] as const)('an auth token opens nothing, with the scope %s', async (scope) => {
    const { authToken } = await engine.service.call('authTokens.create', { label: 'backend', scope });
    expect((await call({ authorization: `Bearer ${authToken}` })).status).toBe(401);
  });

  test('a token of an engine that ran before opens nothing', async () => {
    const other = await start();
    const old = other.operatorToken.reveal();
    await other.stop();
    expect((await call({ authorization: `Bearer ${old}` })).status).toBe(401);
  });
});

describe('a page of a stranger', () => {
  test.each(['https://stranger.example', 'null', 'http://127.0.0.1:1', 'file://'])(
    'cannot call even with the token, from %s',
    async (origin) => {
      const answer = await call({ authorization, origin });
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([403, { ok: false, code: 'FORBIDDEN_ORIGIN' }]);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      expect((await send('GET', '/console/events', { authorization, origin })).status).toBe(403);
    },
  );

  test('gets no leave to ask', async () => {
    const headers = { origin: 'https://stranger.example', 'access-control-request-method': 'POST' };
    const { headers: answered } = await send('OPTIONS', '/console/call', headers);
    expect(answered).not.toHaveProperty('access-control-allow-origin');
  });

  test('whose name was made to lead to this machine is refused', async () => {
    const headers = { authorization, host: 'stranger.example', origin: 'http://stranger.example' };
    expect((await call(headers)).status).toBe(403);
    expect((await send('GET', '/console/', { host: 'stranger.example' })).status).toBe(403);
  });
});

describe('the files of the console', () => {
  test('come under a policy that lets in nothing foreign', async () => {
    const page = await send('GET', '/console/');
    expect([page.status, page.text, page.headers['content-type']]).toEqual([
      200,
      '<p>console</p>',
      'text/html; charset=utf-8',
    ]);
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect((await send('GET', '/console/assets/page.js')).headers['content-type']).toBe(
      'text/javascript; charset=utf-8',
    );
    for (const shorter of ['/console', '/'])
      expect((await send('GET', shorter)).headers['location'], shorter).toBe('/console/');
  });

  test.each(['[127.0.0.1]', '[fe80::1%25eth0]', 'a b.localhost'])(
    'come to anyone who asks for %s, which no URL may contain, without an internal error',
    async (odd) => {
      expect(await send('GET', '/console/', { host: odd })).toMatchObject({ status: 200, text: '<p>console</p>' });
    },
  );

  test('travel compressed, and those named by their content are fetched once', async () => {
    const response = await fetch(`${url}/console/assets/page-Ab3_-x9Z.js`);
    expect([response.headers.get('content-encoding'), await response.text()]).toEqual(['gzip', 'export {}']);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    const font = await fetch(`${url}/console/assets/text-Ab3_-x9Z.woff2`);
    expect(await font.text()).toBe('wOF2');
    expect(Object.fromEntries(font.headers)).toMatchObject({
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(font.headers.get('content-encoding')).toBeNull();
    const plain = await send('GET', '/console/assets/page.js', { 'accept-encoding': 'identity' });
    expect(plain).toMatchObject({ text: 'export {}', headers: { 'cache-control': 'no-store' } });
  });

  test.each([
    '/console/..%2fsecret.html',
    '/console/assets/..%2f..%2fsecret.html',
    '/console/../secret.html',
    '/console/..%5csecret.html',
    '/console/%2e%2e/secret.html',
    '/console/index.html%00',
    '/console/assets',
    '/console/nothing.js',
  ])('are all that is served there: not %s', async (path) => {
    const { status, text } = await send('GET', path);
    expect([status, text.includes('secret')]).toEqual([404, false]);
  });

  test('are not there before they are built, and the page says what to do', async () => {
    const other = await start();
    try {
      const response = await fetch(`${await other.serve()}/console/`);
      expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('npm run build')]);
    } finally {
      await other.stop();
    }
  });
});
