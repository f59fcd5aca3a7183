import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type TestDapp, useDesk } from '../support/desk.ts';
import { operation, sponsorRequest } from '../support/operations.ts';

const desk = useDesk();
let dapp: TestDapp;
let otherChain: TestDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
  otherChain = await desk().dapp(undefined, { chainId: 137 });
});

const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
const request = sponsorRequest([op, { mode: 'SPONSORED' }], 'an id');
const path = (chain: string | number = 31337, key: string = dapp.credentials.apiKey): string =>
  `/api/v1/${chain}/${key}`;

/** The error of an answer, which must be a full JSON-RPC body. */
const errorOf = (answer: Answer): { status: number; id: unknown; code: number; message: string } => {
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  const { jsonrpc, id, error, ...rest } = answer.body as {
    jsonrpc: string;
    id: unknown;
    error: { code: number; message: string };
  };
  expect([jsonrpc, Object.keys(rest)]).toEqual(['2.0', []]);
  return { status: answer.status, id, code: error.code, message: error.message };
};

const UNKNOWN = { status: 401, id: 'an id', code: -32051, message: 'Unknown API key or chain' };
/** The desk knows the DApp and has no contract for it: the request has come through to deciding. */
const NOT_READY = { status: 400, id: 'an id', code: -32052 };

describe('the address of a DApp', () => {
  test.each([
    '/api/v1/31337/KEY',
    '/api/v2/31337/KEY',
    '//api//v1/31337/KEY',
    '/api/v1/31337/KEY/',
    '/api/v1/31337/KEY?x=1',
  ])('%s is served', async (pattern) => {
    const answer = await desk().send('POST', pattern.replace('KEY', dapp.credentials.apiKey), { body: request });
    expect(errorOf(answer)).toMatchObject(NOT_READY);
  });

  test.each(['/api/v1/KEY', '/api/v2/KEY', '/rpc'])('%s needs no chain: a DApp has one', async (pattern) => {
    const { apiKey } = dapp.credentials;
    const sent = { body: request, headers: { ...(pattern === '/rpc' && { apiKey }) } };
    expect(errorOf(await desk().send('POST', pattern.replace('KEY', apiKey), sent))).toMatchObject(NOT_READY);
  });

  test.each(['apiKey', 'apikey', 'APIKEY'])('/rpc/{chainId} takes the key from the header %s', async (header) => {
    const headers = { [header]: dapp.credentials.apiKey };
    expect(errorOf(await desk().send('POST', '/rpc/31337', { headers, body: request }))).toMatchObject(NOT_READY);
  });

  test.each<[string, () => [path: string, headers?: Record<string, string>]]>([
    ['an unknown key', () => [path(31337, 'nobody')]],
    ['an empty key', () => [path(31337, '%20')]],
    ['a key with one character changed', () => [path(31337, `${dapp.credentials.apiKey.slice(0, -1)}X`)]],
    ['a key in other letter case', () => [path(31337, dapp.credentials.apiKey.toUpperCase())]],
    ['an auth token for a key', () => [path(31337, dapp.credentials.authToken)]],
    ['a key of another chain', () => [path(31337, otherChain.credentials.apiKey)]],
    ['a chain of another key', () => [path(137)]],
    ['an unknown chain', () => [path(999_999)]],
    ['a chain that is no number', () => [path('mainnet')]],
    ['a chain in hex', () => [path('0x7a69')]],
    ['a chain with a sign', () => [path('+31337')]],
    ['a chain with a fraction', () => [path('31337.0')]],
    ['a chain with leading zeros', () => [path('031337')]],
    ['a chain with a space', () => [path('%2031337')]],
    ['a path that does not decode', () => [path(31337, '%E0%A4%A')]],
    ['SQL for a key', () => [path(31337, encodeURIComponent(`' OR 1=1 --`))]],
    ['an unknown key without a chain', () => ['/api/v2/nobody']],
    ['no header, and no chain', () => ['/rpc']],
    ['no header', () => ['/rpc/31337']],
    ['an unknown key in the header', () => ['/rpc/31337', { apiKey: 'nobody' }]],
    ['a key in the header of another chain', () => ['/rpc/137', { apiKey: dapp.credentials.apiKey }]],
  ])('%s is refused as unknown, with no difference between the two', async (_, where) => {
    const [at, headers = {}] = where();
    expect(errorOf(await desk().send('POST', at, { headers, body: request }))).toEqual(UNKNOWN);
  });

  test.each(['sponsorship.dapp', 'sponsorship.gasPrice', 'sponsorship.balance'] as const)(
    'a key of another chain is unknown to %s too, by whatever way it is asked',
    async (procedure) => {
      const asked = desk().service.call(procedure, { chainId: 31337, apiKey: otherChain.credentials.apiKey });
      await expect(asked).rejects.toMatchObject({ code: 'UNKNOWN_API_KEY' });
    },
  );

  test('a key never reaches the log', () => {
    expect(desk().log.join('\n')).not.toContain(dapp.credentials.apiKey);
  });
});

describe('a body', () => {
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const KiB = 1024;

  test.each<[string, number, number, { body?: unknown; headers?: Record<string, string> }]>([
    ['that is missing', 400, -32700, {}],
    ['that is empty', 400, -32700, { body: '' }],
    ['that is cut off', 400, -32700, { body: JSON.stringify(request).slice(0, -1) }],
    ['with more behind it', 400, -32700, { body: `${JSON.stringify(request)} {}` }],
    ['of NaN', 400, -32700, { body: '{"id":NaN}' }],
    ['that is a form', 400, -32700, { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['of an unknown encoding', 415, -32600, { body: '{}', headers: { 'content-encoding': 'x' } }],
    ['over 128 KiB', 413, -32600, { body: `"${'x'.repeat(128 * KiB)}"` }],
    ['that is compressed', 415, -32600, { body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } }],
    ['nested 65 deep', 400, -32602, { body: deep(66) }],
    ['nested 60,000 deep', 400, -32602, { body: deep(60_000) }],
    ['with objects nested 20,000 deep', 400, -32700, { body: '{"a":'.repeat(20_000) }],
    ['that is an empty batch', 400, -32600, { body: [] }],
    ['that is a batch of 21', 400, -32600, { body: Array.from({ length: 21 }, () => request) }],
    ['of bytes that are no text', 400, -32700, { body: Buffer.from([0xff, 0xfe, 0x00, 0x80]) }],
  ])('%s is answered %i in JSON-RPC', async (_, status, code, parts) => {
    const answer = await desk().send('POST', path(), parts);
    expect(errorOf(answer)).toMatchObject({ status, code, id: null });
    expect(answer.text.length).toBeLessThan(300);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  test.each(['text/plain', 'text/plain;charset=UTF-8', 'application/json; charset=x', ''])(
    'of JSON that is declared as "%s" is read: abstractionkit 0.1 declares none',
    async (type) => {
      const answer = await desk().send('POST', path(), { body: request, headers: { 'content-type': type } });
      expect(errorOf(answer)).toMatchObject(NOT_READY);
    },
  );

  test('of 128 KiB is read, and the excess is reported', async () => {
    const padded = (size: number): string => JSON.stringify(request).padEnd(size);
    expect(errorOf(await desk().send('POST', path(), { body: padded(128 * KiB) }))).toMatchObject(NOT_READY);
    expect(errorOf(await desk().send('POST', path(), { body: padded(128 * KiB + 1) }))).toEqual({
      status: 413,
      id: null,
      code: -32600,
      message: 'The request body is larger than 128 KiB',
    });
  });

  test.each([
    { 'content-type': 'application/json' },
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'APPLICATION/JSON' },
    { 'content-type': 'application/vnd.api+json' },
  ])('is read as %j', async (headers) => {
    expect(errorOf(await desk().send('POST', path(), { headers, body: request }))).toMatchObject(NOT_READY);
  });

  test('is answered with a status and a JSON-RPC body, whatever its bytes', async () => {
    const valid = Buffer.from(JSON.stringify(request));
    const flipped = fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, byte]) => {
      const bytes = Buffer.from(valid);
      bytes[at] = byte;
      return bytes;
    });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
      fc.json().map((text) => Buffer.from(text)),
      flipped,
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        const { status, body: answer } = await desk().send('POST', path(), { body });
        expect([200, 400, 413]).toContain(status);
        for (const one of Array.isArray(answer) ? answer : [answer])
          expect(one).toMatchObject({
            jsonrpc: '2.0',
            error: { code: expect.any(Number), message: expect.any(String) },
          });
      }),
      { numRuns: 300 },
    );
  });
});

describe('over HTTP', () => {
  test.each<[string, unknown, number, number]>([
    ['no request', 5, 400, -32600],
    ['an unknown method', { ...request, method: 'eth_blockNumber' }, 200, -32601],
    ['a wrong field', sponsorRequest([{ ...op, sender: 'x' }, { mode: 'SPONSORED' }]), 400, -32602],
    ['token mode without a token', sponsorRequest([op, { mode: 'ERC20' }]), 400, -32056],
    [
      'token mode with an unknown token',
      sponsorRequest([op, { mode: 'ERC20', tokenInfo: { feeTokenAddress: op['sender'] } }]),
      400,
      -32057,
    ],
  ])('%s has the status that makes clients read the reason', async (_, body, status, code) => {
    expect(errorOf(await desk().send('POST', path(), { body }))).toMatchObject({ status, code });
  });

  test('a batch is 200, each answer with its own error, and one key for all', async () => {
    const bad = { ...request, id: 2, method: 'x' };
    const { status, body } = await desk().send('POST', path(), { body: [request, bad, [request]] });
    const told = (body as { id: unknown; error: { code: number } }[]).map(({ id, error }) => [id, error.code]);
    expect([status, told]).toEqual([
      200,
      [
        ['an id', -32052],
        [2, -32601],
        [null, -32600],
      ],
    ]);
  });

  test('the accepted tokens are listed with the refused one', async () => {
    const params = [op, { mode: 'ERC20', tokenInfo: { feeTokenAddress: op['sender'] } }];
    const { body } = await desk().send('POST', path(), { body: sponsorRequest(params) });
    expect(body).toMatchObject({ error: { data: { supported: [] } } });
  });

  test.each(['/api/v1/31337/KEY', '/api/v2/31337/KEY', '/rpc/31337'])('a browser may ask %s', async (pattern) => {
    const { status, headers, text } = await desk().send('OPTIONS', pattern.replace('KEY', dapp.credentials.apiKey), {
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,apikey',
      },
    });
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type,apikey',
      'access-control-max-age': '86400',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('a browser reads refusals as it reads answers', async () => {
    const headers = { origin: 'https://app.example' };
    for (const key of [dapp.credentials.apiKey, 'nobody']) {
      const answer = await desk().send('POST', path(31337, key), { headers, body: request });
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s gets a list of what is allowed', async (method) => {
    const { status, headers } = await desk().send(method, path());
    expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS']);
  });

  test('nothing of who has no key is written down as a decision, nor what is no request', async () => {
    const count = (await desk().service.call('system.info', {})).decisions;
    await desk().send('POST', path(31337, 'nobody'), { body: request });
    await desk().send('POST', path(31337, 'nobody'), { body: sponsorRequest([{}, {}]) });
    await desk().send('POST', path(), { body: '{' });
    expect((await desk().service.call('system.info', {})).decisions).toBe(count);
  });

  test('no request above was a bug of ours', () => {
    expect(desk().log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
