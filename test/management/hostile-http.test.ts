import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RequestParts, type TestDapp, useDesk } from '../support/desk.ts';
import { named } from './fixtures.ts';

const desk = useDesk();
let dapp: TestDapp;
let before: Record<string, string[]>;
beforeAll(async () => {
  dapp = await desk().dapp();
});
beforeEach(() => {
  before = desk().rows();
});
/** Whatever a test of this file does to the desk: nothing is written, nothing breaks, and the next one is served. */
afterEach(async () => {
  expect(desk().rows()).toEqual(before);
  expect(desk().log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  expect((await desk().manage('GET', '/webhook', { headers: dapp.credentials })).statusCode).toBe(200);
});

const PREFIX = '/api/v2/public/sdk';
const LIMIT = 1_048_576;
const hook = JSON.stringify({ webhookUrl: 'https://example.com', requestType: 'post' });
const wrongHook = {
  statusCode: 400,
  message: 'requestType must be one of: GET, POST',
  errors: ['requestType must be one of: GET, POST'],
};

const post = (body: unknown, headers: RequestParts['headers'] = {}) =>
  desk().manage('POST', '/webhook', { headers: { ...dapp.credentials, ...headers }, body });

const notJson = { statusCode: 400, message: 'The request body is not valid JSON' };
const notUtf8 = { statusCode: 400, message: 'The request body is not UTF-8' };
const notJsonType = { statusCode: 415, message: 'The request body must be application/json' };
const notUtf8Type = { statusCode: 415, message: 'The request body must be JSON in UTF-8' };
const compressed = { statusCode: 415, message: 'The request body must not be compressed' };
const tooLarge = { statusCode: 413, message: 'The request body is larger than 1 MiB' };

describe('a body that is not JSON', () => {
  test.each(
    named([
      '{',
      ' ',
      'undefined',
      'NaN',
      "{'a':1}",
      '{"a":1,}',
      '{"a":01}',
      '{"a":1} {"b":2}',
      '{"a":"\u0001"}',
      '{"a":"\\x41"}',
      '{"a":"\\ud8"}',
      '// comment\n{}',
      '\u0000{}',
      'a=1&b=2',
    ]),
  )('%s is refused', async (_shown, body) => {
    expect(await post(body)).toEqual(notJson);
  });

  test.each([
    ['a byte that never is UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['half a surrogate pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${hook}`, 'utf16le')],
    ['Latin-1', Buffer.from('{"name":"Käse"}', 'latin1')],
  ])('%s is refused and not mended', async (_name, body) => {
    expect(await post(body)).toEqual(notUtf8);
  });

  test('a byte order mark is tolerated', async () => {
    expect(await post(`\ufeff${hook}`)).toEqual(wrongHook);
  });
});

describe('Content-Type and Content-Encoding', () => {
  test.each([
    ['application/json', wrongHook],
    ['application/json; charset=utf-8', wrongHook],
    ['Application/JSON; Charset="UTF-8"', wrongHook],
    ['application/vnd.api+json', wrongHook],
    ['application/json; charset=utf-16', notUtf8Type],
    ['application/json; charset=iso-8859-1', notUtf8Type],
    ['application/json; charset=__proto__', notUtf8Type],
    ['text/plain', notJsonType],
    ['text/json', notJsonType],
    ['application/x-www-form-urlencoded', notJsonType],
    ['multipart/form-data; boundary=x', notJsonType],
    ['application/jsonp', notJsonType],
    ['json', notJsonType],
    ['*/*', notJsonType],
    ['', notJsonType],
  ])('%s', async (type, expected) => {
    expect(await post(hook, { 'content-type': type })).toEqual(expected);
  });

  test.each([
    ['gzip', gzipSync(hook)],
    ['gzip', gzipSync(Buffer.alloc(100 * LIMIT, ' '))],
    ['gzip', 'not gzip at all'],
    ['deflate', hook],
    ['br', hook],
    ['identity, gzip', gzipSync(hook)],
    ['compress', hook],
  ])('a body in %s is refused unread', async (encoding, body) => {
    expect(await post(body, { 'content-encoding': encoding })).toEqual(compressed);
  });
});

describe('large bodies', () => {
  const padded = (size: number): string => hook + ' '.repeat(size - hook.length);

  test('1 MiB is read, a byte more is not', async () => {
    expect(await post(padded(LIMIT))).toEqual(wrongHook);
    expect(await post(padded(LIMIT + 1))).toEqual(tooLarge);
    expect(await post(padded(8 * LIMIT))).toEqual(tooLarge);
  });

  test('the same in chunks, without a declared size', async () => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const { authToken, apiKey } = dapp.credentials;
    const head = `POST ${PREFIX}/webhook HTTP/1.1\r\nHost: localhost\r\nauthToken: ${authToken}\r\napiKey: ${apiKey}\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await desk().raw(`${head}${chunk.repeat(17)}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 [^]*larger than 1 MiB/);
    expect(await desk().raw(`${head}${hook.length.toString(16)}\r\n${hook}\r\n0\r\n\r\n`)).toContain(wrongHook.message);
  });
});

describe('routes and methods', () => {
  test.each(
    named([
      '/api',
      `${PREFIX}/nothing`,
      `${PREFIX}/webhooks`,
      `${PREFIX}/paymaster-policy/delete/x`,
      `${PREFIX}/paymaster/../../../../etc/passwd`,
      `${PREFIX}/%2e%2e/sdk/paymaster`,
      `${PREFIX}/%70aymaster%00`,
      `${PREFIX}/paymaster%2f`,
      `${PREFIX}/funding-message/a/b`,
      '/api/v1/public/sdk/paymaster',
      '/openapi.json/x',
      '/%zz',
      `/${'a'.repeat(8_000)}`,
      '/constructor',
      '/__proto__',
    ]),
  )('GET %s is not found', async (_shown, path) => {
    const { status, body } = await desk().send('GET', path, { headers: dapp.credentials });
    expect([status, body]).toEqual([404, { statusCode: 404, message: 'Not found' }]);
  });

  test.each([
    ['PUT', `${PREFIX}/webhook`, ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']],
    ['TRACE', `${PREFIX}/webhook`, ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']],
    ['PROPFIND', `${PREFIX}/webhook`, ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']],
    ['DELETE', `${PREFIX}/paymaster`, ['GET', 'HEAD', 'POST', 'PATCH']],
    ['POST', `${PREFIX}/funding-message`, ['GET', 'HEAD']],
    ['PUT', `${PREFIX}/smart-contract`, ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']],
    ['DELETE', `${PREFIX}/paymaster-policy`, ['GET', 'HEAD', 'POST']],
    ['GET', `${PREFIX}/paymaster-policy/limit/x`, ['PATCH']],
    ['POST', `${PREFIX}/paymaster-policy/activate/x`, ['PATCH']],
    ['POST', '/openapi.json', ['GET', 'HEAD']],
  ])('%s %s is not allowed, and the answer lists what is', async (method, path, allowed) => {
    const { status, headers, body } = await desk().send(method, path, { headers: dapp.credentials });
    expect([status, body]).toEqual([405, { statusCode: 405, message: 'Method not allowed' }]);
    expect(headers.allow?.split(', ').sort()).toEqual(allowed.sort());
  });

  test('HEAD answers like GET without a body; OPTIONS lists the methods', async () => {
    const head = await desk().send('HEAD', `${PREFIX}/webhook`, { headers: dapp.credentials });
    expect([head.status, head.text]).toEqual([200, '']);
    const unauthorised = await desk().send('HEAD', `${PREFIX}/webhook`);
    expect([unauthorised.status, unauthorised.text]).toEqual([401, '']);
    const options = await desk().send('OPTIONS', `${PREFIX}/webhook`);
    expect([options.status, options.text]).toEqual([200, '']);
    expect(options.headers.allow?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST']);
  });

  test.each(
    named([
      '__proto__',
      'constructor',
      '%2e%2e',
      '..%2f..',
      '%00',
      "'%20OR%201=1%20--",
      '%F0%9F%98%80',
      'x'.repeat(5000),
    ]),
  )('the rule id %s is unknown, and no more than that', async (_shown, id) => {
    for (const verb of ['limit', 'activate', 'deactivate']) {
      const answer = await desk().manage('PATCH', `/paymaster-policy/${verb}/${id}`, {
        headers: dapp.credentials,
        body: {},
      });
      expect(answer).toEqual({ statusCode: 404, message: 'Paymaster policy not found' });
    }
    const message = await desk().manage('GET', `/funding-message/${id}`, { headers: dapp.credentials });
    expect(message).toEqual({ statusCode: 404, message: 'Paymaster not found' });
  });

  test('a path or query that cannot be decoded is refused for that', async () => {
    for (const path of [
      '/paymaster-policy/limit/%zz',
      '/paymaster-policy/limit/%ff',
      '/paymaster-policy/activate/%E0%A4',
    ]) {
      const answer = await desk().manage('PATCH', path, { headers: dapp.credentials, body: {} });
      expect(answer.statusCode).toBe(404);
    }
    const { data } = await desk().manage('GET', '/webhook?webhookId=%zz&__proto__=1&constructor=1', {
      headers: dapp.credentials,
    });
    expect(data).toEqual([]);
  });

  test('a body with GET is read and checked like any other', async () => {
    const get = (path: string, body: unknown) => desk().manage('GET', path, { headers: dapp.credentials, body });
    expect(await get('/webhook', { webhookUrl: '' })).toMatchObject({ statusCode: 200 });
    expect(await get('/paymaster', {})).toMatchObject({ statusCode: 200 });
    expect(await get('/paymaster', { a: 1 })).toMatchObject({ statusCode: 400, message: 'a should not exist' });
    expect(await get('/paymaster', '{')).toEqual(notJson);
  });
});

describe('Host', () => {
  const get = (host: string) => desk().send('GET', `${PREFIX}/webhook`, { headers: { ...dapp.credentials, host } });

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:8645',
    'localhost@evil.example',
    '127.0.0.1/evil',
    'evil-localhost',
  ])('a request for %j is a page of a stranger and is refused', async (host) => {
    const { status, body } = await get(host);
    expect([status, body]).toEqual([
      403,
      { statusCode: 403, message: 'This host name is not allowed. Add it to the setting allowedHosts' },
    ]);
  });

  test.each([
    'localhost',
    'LOCALHOST:8645',
    'desk.localhost',
    '127.0.0.1',
    '127.0.0.1:1',
    '[::1]',
    '[::1]:8645',
    '192.168.1.7',
  ])('a request for %s is served', async (host) => {
    expect((await get(host)).status).toBe(200);
  });
});

describe('broken HTTP', () => {
  const credentials = () =>
    Object.entries(dapp.credentials)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
  const start = (line = `POST ${PREFIX}/webhook HTTP/1.1`) =>
    `${line}\r\nHost: localhost\r\n${credentials()}Content-Type: application/json\r\n`;

  test.each<[name: string, request: () => string, answer: RegExp]>([
    ['a Content-Length that is no number', () => `${start()}Content-Length: abc\r\n\r\n${hook}`, /^HTTP\/1\.1 400 /],
    ['a negative Content-Length', () => `${start()}Content-Length: -1\r\n\r\n${hook}`, /^HTTP\/1\.1 400 /],
    [
      'two Content-Lengths',
      () => `${start()}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${hook}`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'Content-Length and chunks',
      () => `${start()}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    ['a chunk without size', () => `${start()}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, /^(HTTP\/1\.1 4\d\d |$)/],
    ['a body cut short', () => `${start()}Content-Length: 1000\r\n\r\n${hook}`, /^(HTTP\/1\.1 4\d\d |$)/],
    ['chunks cut short', () => `${start()}Transfer-Encoding: chunked\r\n\r\n50\r\n${hook}`, /^(HTTP\/1\.1 4\d\d |$)/],
    [
      'a body longer than told',
      () => `${start()}Connection: close\r\nContent-Length: 2\r\n\r\n{}${hook}`,
      /^HTTP\/1\.1 400 /,
    ],
    ['no Host', () => `GET ${PREFIX}/webhook HTTP/1.1\r\n${credentials()}\r\n`, /^HTTP\/1\.1 400 /],
    ['HTTP/1.0 without Host', () => `GET ${PREFIX}/webhook HTTP/1.0\r\n${credentials()}\r\n`, /^HTTP\/1\.1 403 /],
    [
      'an empty Host',
      () => `GET ${PREFIX}/webhook HTTP/1.1\r\nHost:\r\nConnection: close\r\n${credentials()}\r\n`,
      /^HTTP\/1\.1 403 /,
    ],
    ['two Hosts', () => `${start()}Host: evil.example\r\nContent-Length: 2\r\n\r\n{}`, /^HTTP\/1\.1 4\d\d /],
    ['an unknown method', () => `${start(`FETCH ${PREFIX}/webhook HTTP/1.1`)}\r\n`, /^HTTP\/1\.1 400 /],
    ['CONNECT', () => `CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n`, /^$/],
    ['a NUL in a header', () => `${start()}X: a\0b\r\n\r\n`, /^HTTP\/1\.1 400 /],
    [
      'a header that goes on in the next line',
      () => `${start()}X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}`,
      /^HTTP\/1\.1 400 /,
    ],
    ['headers of 20 KB', () => `${start()}X: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    ['a path of 20 KB', () => start(`GET /${'a'.repeat(20_000)} HTTP/1.1`), /^HTTP\/1\.1 431 /],
    ['no HTTP at all', () => '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'an absolute address of a stranger',
      () => `GET http://evil.example${PREFIX}/nothing HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
      /^HTTP\/1\.1 403 /,
    ],
  ])('%s: refused, without a word about the inside', async (_name, request, answer) => {
    const text = await desk().raw(request());
    expect(text).toMatch(answer);
    expect(text).not.toMatch(/\n\s+at |node:|\.ts\b|node_modules/);
  });

  test('a credential sent twice is none', async () => {
    const { authToken, apiKey } = dapp.credentials;
    const answer = await desk().manage('GET', '/webhook', { headers: { authToken: [authToken, authToken], apiKey } });
    expect(answer).toEqual({ statusCode: 401, message: 'Invalid auth token' });
  });

  test('answers are JSON that browsers neither guess at nor keep', async () => {
    for (const path of [`${PREFIX}/webhook`, '/nothing', '/openapi.json']) {
      const { headers } = await desk().send('GET', path);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });
});

test('a target that is no path is not found, and no bug', async () => {
  const answer = await desk().raw('GET http:// HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(answer).toContain('404');
});
