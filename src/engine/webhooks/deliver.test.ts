import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { startRawReceiver, startReceiver, verify } from '../../../test/support/webhook-receiver.ts';
import { responseVerdict } from '../../core/webhooks/webhook-response.ts';
import { createNames } from '../network/names.ts';
import { systemClock } from '../base/clock.ts';
import { errorOf } from './error.ts';
import { Secret } from '../base/secret.ts';
import { createDeliverer, type DelivererOptions } from './deliver.ts';
import type { WebhookRequest } from './request.ts';

const secret = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
const TRUE = '{"arePoliciesVerified":true}';
/** Would be valid JSON if the invalid byte in its string were replaced. */
const NOT_UTF8 = Buffer.from('{"arePoliciesVerified":true,"user":"\xff"}', 'latin1');

const deliverer = (options: Partial<DelivererOptions> = {}) => {
  const clock = new ManualClock();
  const { resolve: resolver } = createNames({ clock });
  const made = createDeliverer({
    clock,
    resolver,
    allowPrivate: true,
    timeoutMs: () => 3_000,
    maxConcurrent: 32,
    ...options,
  });
  onTestFinished(() => {
    made.close();
    expect(clock.pending).toBe(0);
  });
  return {
    ...made,
    clock,
    deliver: async (request: WebhookRequest) => {
      const response = await made.deliver(request);
      return { ...response.call, ms: response.micros / 1000, verdict: responseVerdict(response) };
    },
  };
};

const call = (url: string, more: Partial<WebhookRequest> = {}): WebhookRequest => ({
  webhookId: 'w1',
  url,
  method: 'POST',
  secret,
  decisionId: 'd1',
  webhookData: { user: 'u1' },
  ...more,
});

const deliver = (request: WebhookRequest, options?: Partial<DelivererOptions>) => deliverer(options).deliver(request);

const http = (status: string, body: string | Buffer, ...headers: string[]): Buffer =>
  Buffer.concat([
    Buffer.from([`HTTP/1.1 ${status}`, `content-length: ${body.length}`, ...headers, '', ''].join('\r\n')),
    Buffer.from(body),
  ]);

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const signal = <T = void>() => Promise.withResolvers<T>();

describe('the verdict of a receiver decides', () => {
  test('true, and all that was sent and answered is kept', async () => {
    const receiver = await startReceiver(verify);
    const made = await deliver(call(`${receiver.url}/check?k=1`));
    expect(made).toEqual({
      webhookId: 'w1',
      url: `${receiver.url}/check?k=[secret]`,
      method: 'POST',
      request: {
        headers: {
          accept: 'application/json',
          'user-agent': 'Gasdesk',
          'content-type': 'application/json',
          'content-length': '22',
          'webhook-id': 'd1',
          'webhook-timestamp': '1767225600',
          'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
        },
        body: '{"data":{"user":"u1"}}',
      },
      status: 200,
      response: TRUE,
      ms: 0,
      verdict: {
        outcome: 'pass',
        code: 'WEBHOOK_VERIFIED',
        evidence: { host: `127.0.0.1:${receiver.port}`, status: 200 },
      },
    });
    expect(receiver.calls).toMatchObject([{ method: 'POST', target: '/check?k=1', body: made.request.body }]);
  });

  test.each([
    ['false', http('200 OK', '{"arePoliciesVerified":false}'), 'WEBHOOK_DENIED'],
    ['misspelt', http('200 OK', '{"arePoliciesVerifid":true}'), 'WEBHOOK_NO_VERDICT'],
    ['the text "true"', http('200 OK', '{"arePoliciesVerified":"true"}'), 'WEBHOOK_NO_VERDICT'],
    ['1', http('200 OK', '{"arePoliciesVerified":1}'), 'WEBHOOK_NO_VERDICT'],
    ['null', http('200 OK', '{"arePoliciesVerified":null}'), 'WEBHOOK_NO_VERDICT'],
    ['an array', http('200 OK', `[${TRUE}]`), 'WEBHOOK_NO_VERDICT'],
    ['nothing', http('200 OK', ''), 'WEBHOOK_NOT_JSON'],
    ['204', Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'), 'WEBHOOK_NOT_JSON'],
    ['HTML', http('200 OK', '<p>true</p>'), 'WEBHOOK_NOT_JSON'],
    ['UTF-16', http('200 OK', Buffer.from(TRUE, 'utf16le')), 'WEBHOOK_NOT_JSON'],
    ['true beside bytes that are not UTF-8', http('200 OK', NOT_UTF8), 'WEBHOOK_NOT_JSON'],
    ['true in gzip', http('200 OK', gzipSync(TRUE), 'content-encoding: gzip'), 'WEBHOOK_NOT_JSON'],
    ['true with 404', http('404 Not Found', TRUE), 'WEBHOOK_STATUS'],
    ['true with 500', http('500 Oops', TRUE), 'WEBHOOK_STATUS'],
    ['true with 304', http('304 Not Modified', ''), 'WEBHOOK_STATUS'],
    ['65537 bytes', http('200 OK', TRUE.padEnd(65_537)), 'WEBHOOK_TOO_LARGE'],
    ['garbage', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'), 'WEBHOOK_NOT_HTTP'],
    ['a TLS alert', Buffer.from('15030300020232', 'hex'), 'WEBHOOK_NOT_HTTP'],
    ['huge headers', http('200 OK', TRUE, `x: ${'y'.repeat(20_000)}`), 'WEBHOOK_NOT_HTTP'],
    ['two lengths', http('200 OK', TRUE, 'content-length: 5'), 'WEBHOOK_NOT_HTTP'],
    ['a bad chunk', Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'), 'WEBHOOK_NOT_HTTP'],
    [
      'another protocol',
      Buffer.from('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'WEBHOOK_NOT_HTTP',
    ],
    ['true, then less than announced', http('200 OK', `${TRUE} `).subarray(0, -1), 'WEBHOOK_UNREACHABLE'],
    ['half a header', Buffer.from('HTTP/1.1 200 OK\r\ncontent-le'), 'WEBHOOK_UNREACHABLE'],
    ['an end without an answer', Buffer.alloc(0), 'WEBHOOK_UNREACHABLE'],
  ])('no gas is paid on %s', async (_name, bytes, code) => {
    const receiver = await startRawReceiver((socket) => socket.end(bytes));
    const { verdict } = await deliver(call(receiver.url));
    expect(verdict).toMatchObject({ outcome: 'deny', code });
  });

  test.each([
    ['65536 bytes', http('200 OK', TRUE.padEnd(65_536))],
    ['chunks', Buffer.from(`HTTP/1.1 201 Made\r\ntransfer-encoding: chunked\r\n\r\n1c\r\n${TRUE}\r\n0\r\n\r\n`)],
    ['HTTP/1.0, ended by the connection', Buffer.from(`HTTP/1.0 200 OK\r\n\r\n${TRUE}`)],
    ['an early hint first', Buffer.concat([Buffer.from('HTTP/1.1 103 Early\r\n\r\n'), http('200 OK', TRUE)])],
    ['a byte order mark', http('200 OK', Buffer.from(`\ufeff${TRUE}`))],
  ])('a receiver may answer true in its own way: %s', async (_name, bytes) => {
    const receiver = await startRawReceiver((socket) => socket.end(bytes));
    const { verdict } = await deliver(call(receiver.url));
    expect(verdict).toMatchObject({ outcome: 'pass', code: 'WEBHOOK_VERIFIED' });
  });

  test('a redirect is not followed, or a receiver could send the desk anywhere', async () => {
    const other = await startReceiver(verify);
    const receiver = await startReceiver((_call, response) => response.writeHead(307, { location: other.url }).end());
    const { verdict, status } = await deliver(call(receiver.url));
    expect(verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_REDIRECT' });
    expect(status).toBe(307);
    expect(other.connections()).toBe(0);
  });

  test('a megabyte is not read: 64 KiB are kept and the connection is closed', async () => {
    const closed = signal();
    const receiver = await startReceiver((_call, response) => {
      response.on('close', closed.resolve);
      response.end(Buffer.alloc(1_048_576, 'x'));
    });
    const { verdict, response } = await deliver(call(receiver.url));
    expect(verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_TOO_LARGE', evidence: { limitBytes: 65_536 } });
    expect(response).toBe('x'.repeat(65_536));
    await closed.promise;
  });

  test('a reset amid the body denies, and what had come is kept', async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1c\r\n${TRUE}\r\n`, () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    });
    const made = await deliver(call(receiver.url));
    expect(made.verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_UNREACHABLE' });
    expect(made).toMatchObject({ status: 200, response: TRUE });
  });

  test('bytes that are no text do not spoil the record', async () => {
    const receiver = await startRawReceiver((socket) => socket.end(http('200 OK', Buffer.from([0x61, 0xff, 0xfe]))));
    expect((await deliver(call(receiver.url))).response).toBe('a\ufffd\ufffd');
  });

  test('a port without a listener denies, or passes if the operator chose to fail open', async () => {
    // Port 1 on loopback is reserved and unused.
    const { verdict, ...made } = await deliver(call('http://127.0.0.1:1/'));
    expect(verdict).toMatchObject({
      outcome: 'deny',
      code: 'WEBHOOK_UNREACHABLE',
      evidence: { cause: 'ECONNREFUSED', detail: 'the connection was refused' },
    });
    expect(made).not.toHaveProperty('status');
    const open = await deliver(call('http://127.0.0.1:1/', { failOpen: true }));
    expect(open.verdict).toMatchObject({ outcome: 'pass', code: 'WEBHOOK_FAILED_OPEN' });
  });

  test('a failed TLS handshake denies', async () => {
    const receiver = await startRawReceiver((socket) => socket.end(Buffer.from('15030300020230', 'hex')));
    const { verdict } = await deliver(call(receiver.url.replace('http:', 'https:')));
    expect(verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_UNREACHABLE' });
  });
});

describe('a call takes no longer than the time-out', () => {
  test('when the receiver is silent', async () => {
    const received = signal<Socket>();
    const receiver = await startRawReceiver((socket) => received.resolve(socket));
    const { deliver, clock } = deliverer({ timeoutMs: () => 700 });
    const pending = deliver(call(receiver.url));
    const socket = await received.promise;
    await clock.advance(699);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await pending).toMatchObject({
      verdict: { outcome: 'deny', code: 'WEBHOOK_TIMEOUT', evidence: { timeoutMs: 700 } },
      ms: 700,
      response: '',
    });
    if (!socket.closed) await once(socket, 'close');
  });

  test('when the answer drips, each drop in time', async () => {
    const received = signal<ServerResponse>();
    const receiver = await startReceiver((_call, response) => received.resolve(response));
    const { deliver, clock } = deliverer();
    const pending = deliver(call(receiver.url));
    const response = await received.promise;
    for (const drop of TRUE.slice(0, 10)) {
      response.write(drop);
      await clock.advance(300);
    }
    const made = await pending;
    expect(made).toMatchObject({ verdict: { outcome: 'deny', code: 'WEBHOOK_TIMEOUT' }, ms: 3_000 });
  });

  test('when the receiver does not read', async () => {
    const connected = signal();
    const receiver = await startRawReceiver((socket) => {
      socket.pause();
      connected.resolve();
    });
    const { deliver, clock } = deliverer();
    const pending = deliver(call(receiver.url, { webhookData: { text: 'x'.repeat(8_000_000) } }));
    await connected.promise;
    await clock.advance(3_000);
    expect((await pending).verdict).toMatchObject({ code: 'WEBHOOK_TIMEOUT' });
  });
});

describe('a call that may fail open is denied where the error is not with the receiver', () => {
  const open = { failOpen: true };
  const error = (code: string) => Object.assign(new Error('no'), { code });

  test.each([
    'EMFILE',
    'ENFILE',
    'ENOMEM',
    'ENOBUFS',
    'EADDRNOTAVAIL',
    'EAI_AGAIN',
    'ENOTFOUND',
    'ENETUNREACH',
    'unknown',
  ])('as when this machine cannot call it: %s', async (code) => {
    const { verdict } = await deliver(call('http://hooks.example/', open), {
      resolver: () => Promise.reject(error(code)),
    });
    expect(verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_UNREACHABLE', evidence: { cause: code } });
  });

  test('as when the DNS is silent: the receiver was not asked', async () => {
    const { deliver, clock } = deliverer({ resolver: () => new Promise(() => undefined) });
    const pending = deliver(call('http://slow.example/', open));
    await clock.advance(0);
    await clock.advance(3_000);
    expect((await pending).verdict).toMatchObject({
      outcome: 'deny',
      code: 'WEBHOOK_NOT_REACHED',
      evidence: { timeoutMs: 3_000 },
    });
  });

  test('as when the DNS took most of the time: what was left to the receiver says nothing of it', async () => {
    const found = signal<readonly string[]>();
    const receiver = await startReceiver(() => undefined);
    const { deliver, clock } = deliverer({ resolver: () => found.promise });
    const pending = deliver(call(`http://hooks.example:${receiver.port}/`, open));
    await clock.advance(0);
    await clock.advance(1_501);
    found.resolve(['127.0.0.1']);
    while (receiver.calls.length === 0) await turn();
    await clock.advance(1_499);
    const { verdict } = await pending;
    expect(verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_TIMEOUT' });
    expect(verdict.evidence['notAnOutage']).toMatch(/no connection for most of the time-out/);
  });

  test('as when one of its addresses could not be tried from here', async () => {
    const closed = Object.assign(new Error('no'), { code: 'ECONNREFUSED', address: '192.0.2.1' });
    const full = Object.assign(new Error('no'), { code: 'EMFILE', address: '192.0.2.2' });
    const noIpv6 = Object.assign(new Error('no'), { code: 'ENETUNREACH', address: '2001:db8::1' });
    const cause = (...errors: Error[]) => errorOf(new AggregateError(errors)).evidence['cause'];
    expect([cause(closed, full), cause(noIpv6, closed)]).toEqual(['EMFILE', 'ECONNREFUSED']);
  });

  test('as when the call had to wait for its turn, and the rest of its time was too short', async () => {
    const held: ServerResponse[] = [];
    const two = signal();
    const receiver = await startReceiver((_call, response) => {
      if (held.push(response) === 2) two.resolve();
    });
    const { deliver, clock } = deliverer({ maxConcurrent: 1 });
    const first = deliver(call(receiver.url, open));
    const second = deliver(call(receiver.url, open));
    while (held.length === 0) await turn();
    await clock.advance(1_000);
    held[0]!.destroy();
    expect((await first).verdict).toMatchObject({ outcome: 'pass', code: 'WEBHOOK_FAILED_OPEN' });
    await two.promise;
    await clock.advance(2_000);
    const { verdict } = await second;
    expect(verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_TIMEOUT' });
    expect(verdict.evidence['notAnOutage']).toMatch(/waited for a free slot/);
  });

  test('as when a flood keeps it from answering in time: it gave a verdict to another call just now', async () => {
    const held: ServerResponse[] = [];
    const receiver = await startReceiver((_call, response) => void held.push(response));
    const { deliver, clock } = deliverer();
    const calls: ReturnType<typeof deliver>[] = [];
    for (const expected of [1, 2, 3]) {
      calls.push(deliver(call(receiver.url, open)));
      while (held.length < expected) await turn();
    }
    held[0]!.end('{"arePoliciesVerified":false}');
    await calls[0];
    held[1]!.writeHead(503).end('too many requests');
    await calls[1];
    await clock.advance(3_000);
    const verdicts = (await Promise.all(calls)).map(({ verdict }) => verdict);
    const notAnOutage = expect.stringMatching(/just answered another call/) as unknown;
    expect(verdicts).toMatchObject([
      { outcome: 'deny', code: 'WEBHOOK_DENIED' },
      { outcome: 'deny', code: 'WEBHOOK_STATUS', evidence: { notAnOutage } },
      { outcome: 'deny', code: 'WEBHOOK_TIMEOUT', evidence: { notAnOutage } },
    ]);

    // It is an outage if the receiver does not answer any call for a whole timeout.
    await clock.advance(1);
    const silent = deliver(call(receiver.url, open));
    while (held.length < 4) await turn();
    await clock.advance(3_000);
    expect((await silent).verdict).toMatchObject({ outcome: 'pass', code: 'WEBHOOK_FAILED_OPEN' });
  });

  test('as when this process was too busy to read what the receiver answered', async () => {
    const held: ServerResponse[] = [];
    const receiver = await startReceiver((_call, response) => void held.push(response));
    let busy = 0;
    const { deliver, clock } = deliverer({ busyMs: () => busy });
    const pending = deliver(call(receiver.url, open));
    while (held.length === 0) await turn();
    busy += 1_501;
    await clock.advance(3_000);
    const { verdict } = await pending;
    expect(verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_TIMEOUT' });
    expect(verdict.evidence['notAnOutage']).toMatch(/this machine was busy/);
  });
});

describe('the receiver knows who calls', () => {
  test.each(['GET', 'POST'] as const)('by the signature of a %s, checked by the public library', async (method) => {
    const receiver = await startReceiver(verify);
    const clock = new ManualClock(systemClock.now());
    await deliver(call(receiver.url, { method, decisionId: 'decision-7', preview: true }), { clock });
    const [{ target, headers, body }] = receiver.calls as [(typeof receiver.calls)[number]];
    const text = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const signed = method === 'GET' ? `GET ${target}` : body;
    expect(() => new Webhook(secret.reveal()).verify(signed, text, { jsonParse: false })).not.toThrow();
    expect(headers).toMatchObject({ 'webhook-id': 'decision-7', 'gasdesk-preview': 'true' });
    expect(headers).not.toHaveProperty('accept-encoding');
    expect(body === '').toBe(method === 'GET');
  });

  test('by the user info of its URL, which the record does not keep', async () => {
    const receiver = await startReceiver(verify);
    const made = await deliver(call(receiver.url.replace('//', '//desk:hunter2@')));
    const sent = Buffer.from('desk:hunter2').toString('base64');
    expect(receiver.calls[0]?.headers.authorization).toBe(`Basic ${sent}`);
    const record = JSON.stringify(made);
    for (const hidden of ['hunter2', sent, secret.reveal(), 'desk:']) expect(record).not.toContain(hidden);
    expect(made.request.headers).toMatchObject({ authorization: '[secret]' });
  });

  test('by its name, in the Host header and, over TLS, in the handshake', async () => {
    const resolver = () => Promise.resolve(['127.0.0.1']);
    const plain = await startReceiver(verify);
    await deliver(call(`http://hooks.example:${plain.port}/`), { resolver });
    expect(plain.calls[0]?.headers.host).toBe(`hooks.example:${plain.port}`);
    const hello = signal<string>();
    const tls = await startRawReceiver((socket, bytes) => {
      hello.resolve(bytes);
      socket.destroy();
    });
    await deliver(call(`https://hooks.example:${tls.port}/`), { resolver });
    expect(await hello.promise).toContain('hooks.example');
  });
});

describe('connections', () => {
  test('are used again', async () => {
    const receiver = await startReceiver(verify);
    const { deliver } = deliverer();
    for (let i = 0; i < 5; i += 1) await deliver(call(receiver.url));
    expect(receiver.calls).toHaveLength(5);
    expect(receiver.connections()).toBe(1);
  });

  test('that the receiver closes just when they are used again cost no operation its sponsoring', async () => {
    let requests = 0;
    const receiver = await startRawReceiver((socket, _request, connection) => {
      requests += 1;
      if (connection === 1 && requests > 1) socket.destroy();
      else socket.write(http('200 OK', TRUE));
    });
    const { deliver } = deliverer();
    await deliver(call(receiver.url));
    expect((await deliver(call(receiver.url))).verdict.outcome).toBe('pass');
    expect([requests, receiver.connections()]).toEqual([3, 2]);
  });

  test('that are used again are judged like new ones: garbage and silence are not asked a second time', async () => {
    const { deliver, clock } = deliverer();
    const garbling = await startRawReceiver((socket, request) =>
      socket.write(request.includes('/first') ? http('200 OK', TRUE) : 'garbage'),
    );
    await deliver(call(`${garbling.url}/first`));
    expect((await deliver(call(garbling.url))).verdict).toMatchObject({ code: 'WEBHOOK_NOT_HTTP' });

    const asked = signal<Socket>();
    const silent = await startRawReceiver((socket, request) => {
      if (request.includes('/first')) socket.write(http('200 OK', TRUE));
      else asked.resolve(socket);
    });
    await deliver(call(`${silent.url}/first`));
    const pending = deliver(call(silent.url));
    const socket = await asked.promise;
    await clock.advance(3_000);
    expect((await pending).verdict).toMatchObject({ code: 'WEBHOOK_TIMEOUT' });
    if (!socket.closed) await once(socket, 'close');
    expect([garbling.connections(), silent.connections()]).toEqual([1, 1]);
  });

  test('that are new and broken off are not tried again', async () => {
    const receiver = await startRawReceiver((socket) => socket.destroy());
    expect((await deliver(call(receiver.url))).verdict).toMatchObject({ code: 'WEBHOOK_UNREACHABLE' });
    expect(receiver.connections()).toBe(1);
  });

  test('of one webhook are bounded, those that wait too, and no other waits for it, be it of the same host', async () => {
    const held: ServerResponse[] = [];
    let most = 0;
    let open = 0;
    const allHeld = signal();
    let holding = true;
    const slow = await startReceiver((made, response) => {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => (open -= 1));
      if (!holding) verify(made, response);
      else if (held.push(response) === 2) allHeld.resolve();
    });
    const quick = await startReceiver(verify);
    const { deliver } = deliverer({ maxConcurrent: 2 });
    const calls = Array.from({ length: 10 }, () => deliver(call(slow.url)));
    const busy = await deliver(call(slow.url));
    expect(busy.verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_BUSY', evidence: { atOnce: 2 } });
    expect((await deliver(call(quick.url, { webhookId: 'w2' }))).verdict.outcome).toBe('pass');
    await allHeld.promise;
    holding = false;
    expect((await deliver(call(slow.url, { webhookId: 'w2' }))).verdict.outcome).toBe('pass');
    for (const response of held) response.end(TRUE);
    for (const made of await Promise.all(calls)) expect(made.verdict.outcome).toBe('pass');
    expect([most, slow.connections(), slow.calls.length]).toEqual([3, 3, 11]);
    expect((await deliver(call(slow.url))).verdict.outcome).toBe('pass');
  });

  test('that never become free hold no waiting call beyond its time-out, nor is a receiver blamed that was not called', async () => {
    const received = signal();
    const receiver = await startReceiver(() => received.resolve());
    const { deliver, clock } = deliverer({ maxConcurrent: 1 });
    const calls = [deliver(call(receiver.url)), deliver(call(receiver.url)), deliver(call(receiver.url))];
    await received.promise;
    await clock.advance(3_000);
    const made = await Promise.all(calls);
    expect(made.map(({ verdict }) => verdict.code)).toEqual(['WEBHOOK_TIMEOUT', 'WEBHOOK_BUSY', 'WEBHOOK_BUSY']);
    expect(made.map(({ ms }) => ms)).toEqual([3_000, 3_000, 3_000]);
    expect(receiver.calls).toHaveLength(1);
  });

  test('end with the deliverer, and calls in flight never pass, even if outages pass', async () => {
    const received = signal<ServerResponse>();
    const receiver = await startReceiver((_call, response) => received.resolve(response));
    const { deliver, close, clock } = deliverer();
    const pending = deliver(call(receiver.url, { failOpen: true }));
    const rejected = expect(pending).rejects.toThrow('closed');
    const response = await received.promise;
    close();
    await rejected;
    if (!response.closed) await once(response, 'close');
    await expect(deliver(call(receiver.url, { failOpen: true }))).rejects.toThrow('closed');
    expect(clock.pending).toBe(0);
  });

  test('go past the proxy of the environment, behind which no address could be checked', async () => {
    const receiver = await startReceiver(verify);
    const proxy = await startReceiver(verify);
    const script = `
      import { createDeliverer } from ${JSON.stringify(new URL('deliver.ts', import.meta.url).href)};
      import { Secret } from ${JSON.stringify(new URL('../base/secret.ts', import.meta.url).href)};
      import { systemClock } from ${JSON.stringify(new URL('../base/clock.ts', import.meta.url).href)};
      const resolver = () => Promise.reject(new Error('no names'));
      const options = { clock: systemClock, resolver, allowPrivate: true, timeoutMs: () => 3000, maxConcurrent: 1 };
      const made = createDeliverer(options);
      const call = { webhookId: 'w', url: '${receiver.url}', method: 'GET', secret: new Secret('AAAA'), decisionId: 'd' };
      const { call: { status } } = await made.deliver(call);
      made.close();
      console.log(status);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, http_proxy: proxy.url, ALL_PROXY: proxy.url },
    });
    expect(stdout.trim()).toBe('200');
    expect([receiver.connections(), proxy.connections()]).toEqual([1, 0]);
  });
});

describe('an address that must not be called', () => {
  const refused = { outcome: 'deny', code: 'WEBHOOK_ADDRESS_REFUSED' };

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0xA9.0xFE.0xA9.0xFE/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'https://100.100.100.200/',
    'http://0/',
    'http://[::]/',
    'http://255.255.255.255/',
    'http://224.0.0.1/',
    'http://user:secret@169.254.169.254/',
  ])('is refused in every spelling, even where outages pass: %s', async (url) => {
    expect((await deliver(call(url, { failOpen: true }))).verdict).toMatchObject(refused);
  });

  test.each(['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'is a matter of the setting for this machine and its networks: %s',
    async (host) => {
      const receiver = await startReceiver(verify);
      const url = `http://${host}:${receiver.port}/`;
      const resolver = () => Promise.resolve(['127.0.0.1']);
      expect((await deliver(call(url), { resolver })).verdict.outcome).toBe('pass');
      const { verdict } = await deliver(call(url, { failOpen: true }), { resolver, allowPrivate: false });
      expect(verdict).toMatchObject({ ...refused, evidence: { range: 'loopback', private: true } });
      expect(receiver.connections()).toBe(1);
    },
  );

  test.each([
    ['metadata', ['169.254.169.254']],
    ['metadata in IPv6', ['fd00:ec2::254']],
    ['metadata, mapped', ['::ffff:169.254.169.254']],
    ['a good address and a bad one', ['127.0.0.1', '169.254.169.254']],
    ['a bad address and a good one', ['fe80::1', '127.0.0.1']],
    ['no address at all', ['metadata.google.internal']],
    ['a number', ['2852039166']],
  ])('is refused when a name leads there: %s', async (_name, addresses) => {
    const receiver = await startReceiver(verify);
    const resolver = () => Promise.resolve(addresses);
    const { verdict } = await deliver(call(`http://hooks.example:${receiver.port}/`, { failOpen: true }), { resolver });
    expect(verdict).toMatchObject(refused);
    expect(receiver.connections()).toBe(0);
  });

  test('is not reached by a name that changes its mind: each connection goes where its own check went', async () => {
    const receiver = await startReceiver((made, response) => {
      if (made.target === '/last') response.setHeader('connection', 'close');
      verify(made, response);
    });
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']];
    let asked = 0;
    const resolver = () => Promise.resolve(answers[asked++] ?? []);
    const { deliver } = deliverer({ resolver });
    const at = async (path: string) => (await deliver(call(`http://hooks.example:${receiver.port}${path}`))).verdict;
    expect(await at('/')).toMatchObject({ outcome: 'pass' });
    // Uses the open connection, which stays connected to its address.
    expect(await at('/last')).toMatchObject({ outcome: 'pass' });
    expect(asked).toBe(1);
    expect(await at('/')).toMatchObject(refused);
    expect(await at('/')).toMatchObject({ outcome: 'pass' });
    expect([asked, receiver.connections()]).toEqual([3, 2]);
  });
});

test.each([
  [
    'unknown',
    () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    'DNS does not know its host name',
  ],
  ['without addresses', () => Promise.resolve([]), 'DNS does not know its host name'],
  [
    'in a broken zone',
    () => Promise.reject(Object.assign(new Error('x'), { code: 'EAI_AGAIN' })),
    'DNS did not answer',
  ],
])('a name that is %s denies and says so', async (_name, resolver, detail) => {
  const { verdict } = await deliver(call('http://hooks.example/'), { resolver });
  expect(verdict).toMatchObject({ outcome: 'deny', code: 'WEBHOOK_UNREACHABLE', evidence: { detail } });
});
