import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { receiverSnippet } from '../../src/renderer/src/modules/webhooks/receiver-snippet.ts';
import type { TraceStep } from '../../src/shared/schema/decision.ts';
import { SENDER } from '../support/account-call-data.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { type ReceivedCall, startRawReceiver, startReceiver, verify } from '../support/webhook-receiver.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const TIMEOUT_MS = 1_500;
const desk = useOfflineDesk({ webhookTimeoutMs: TIMEOUT_MS });

const op = (overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, overrides);
const withData = (webhookData: unknown): Record<string, unknown> => ({ sponsorshipInfo: { webhookData } });
/** Registers a webhook; answers its id. */
const register = async ({ paymasterId }: SponsoredDapp, webhookUrl: string, requestType = 'POST'): Promise<string> => {
  const registration = { paymasterId, webhookUrl, requestType };
  return (await desk().call<{ webhookId: string }>('webhooks.create', registration)).webhookId;
};
/** Adds a rule of type WEBHOOK; answers its id. */
const addRule = async ({ paymasterId }: SponsoredDapp, url: string, failOpen?: boolean): Promise<string> => {
  const rule = { name: 'Ask', policyType: 'WEBHOOK', policyData: { url, ...(failOpen !== undefined && { failOpen }) } };
  return (await desk().call<{ _id: string }>('rules.create', { paymasterId, rule }))._id;
};
const webhookSteps = async (dapp: SponsoredDapp): Promise<TraceStep[]> =>
  (await dapp.decisions())[0]!.trace.filter(({ rule }) => rule === 'webhook');
const json =
  (body: string, status = 200) =>
  (_call: ReceivedCall, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
const deny = json('{"arePoliciesVerified":false}');
/** Resolves when a condition holds that others bring about; gives them turns of the event loop meanwhile. */
const until = async (holds: () => boolean): Promise<void> => {
  await expect.poll(holds, { interval: 2 }).toBe(true);
};

describe('what a webhook answers decides', () => {
  test.each<[string, string, (call: ReceivedCall, response: ServerResponse) => void]>([
    ['true', 'SPONSORED', verify],
    ['true in the old spelling', 'SPONSORED', json('{"arePoliciesVerifed":true}')],
    ['true with status 201 and more beside it', 'SPONSORED', json('{"user":"x","arePoliciesVerified":true}', 201)],
    ['false', 'WEBHOOK_DENIED', deny],
    [
      'false in one of both spellings',
      'WEBHOOK_DENIED',
      json('{"arePoliciesVerified":true,"arePoliciesVerifed":false}'),
    ],
    ['false, then true', 'WEBHOOK_DUPLICATE_KEYS', json('{"arePoliciesVerified":false,"arePoliciesVerified":true}')],
    ['the text "true"', 'WEBHOOK_NO_VERDICT', json('{"arePoliciesVerified":"true"}')],
    ['1', 'WEBHOOK_NO_VERDICT', json('{"arePoliciesVerified":1}')],
    ['a misspelt member', 'WEBHOOK_NO_VERDICT', json('{"arePolicesVerified":true}')],
    ['the member in a list', 'WEBHOOK_NO_VERDICT', json('[{"arePoliciesVerified":true}]')],
    ['null', 'WEBHOOK_NO_VERDICT', json('null')],
    ['garbage', 'WEBHOOK_NOT_JSON', json('arePoliciesVerified: true')],
    ['nothing', 'WEBHOOK_NOT_JSON', json('')],
    ['true with status 500', 'WEBHOOK_STATUS', json('{"arePoliciesVerified":true}', 500)],
    ['true with status 404', 'WEBHOOK_STATUS', json('{"arePoliciesVerified":true}', 404)],
    [
      'a redirect',
      'WEBHOOK_REDIRECT',
      (_call, response) => response.writeHead(302, { location: '/true' }).end('{"arePoliciesVerified":true}'),
    ],
    ['a megabyte', 'WEBHOOK_TOO_LARGE', json(`{"arePoliciesVerified":true,"x":"${'x'.repeat(1_000_000)}"}`)],
  ])('%s: %s', async (_what, code, answer) => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver(answer)];
    const webhookId = await register(dapp, `${receiver.url}/verdict`);
    const reply = await dapp.sponsor(op());
    expect(codeOf(reply)).toBe(code);
    expect(receiver.calls).toHaveLength(1);
    const [decision] = await dapp.decisions();
    expect(decision).toMatchObject({ code, settlement: code === 'SPONSORED' ? 'reserved' : null });
    const [step, ...others] = await webhookSteps(dapp);
    expect(others).toEqual([]);
    expect(step).toMatchObject({
      outcome: code === 'SPONSORED' ? 'pass' : 'deny',
      code: code === 'SPONSORED' ? 'WEBHOOK_VERIFIED' : code,
      call: { webhookId, method: 'POST', url: `${receiver.url}/verdict`, status: expect.any(Number) },
    });
    if (code === 'SPONSORED') return;
    const { reason } = reply.body.result!;
    expect(reason).toMatchObject({ rule: 'webhook', message: expect.stringContaining(`127.0.0.1:${receiver.port}`) });
    expect(decision).toMatchObject({ message: reason!.message, hint: reason!.hint });
  });

  test.each<[string, string, (socket: Socket) => void]>([
    ['breaks off the connection', 'WEBHOOK_UNREACHABLE', (socket) => socket.resetAndDestroy()],
    ['does not speak HTTP', 'WEBHOOK_NOT_HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
  ])('one that %s denies: %s', async (_what, code, answer) => {
    const [dapp, receiver] = [await desk().dapp(), await startRawReceiver(answer)];
    await register(dapp, receiver.url);
    expect(codeOf(await dapp.sponsor(op()))).toBe(code);
  });

  test('a webhook without a server denies, and says so', async () => {
    const dapp = await desk().dapp();
    await register(dapp, 'http://127.0.0.1:1/verdict');
    const reply = await dapp.sponsor(op());
    expect(codeOf(reply)).toBe('WEBHOOK_UNREACHABLE');
    expect(reply.body.result?.reason?.hint).toContain('Start the server of the webhook');
  });

  test('a rule set to fail open passes without a server, says so, and still denies on false', async () => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver(deny)];
    const ruleId = await addRule(dapp, 'http://127.0.0.1:1/', true);
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
    expect((await webhookSteps(dapp))[0]).toMatchObject({ outcome: 'pass', code: 'WEBHOOK_FAILED_OPEN' });
    await desk().call('rules.deactivate', { paymasterId: dapp.paymasterId, ruleId });
    const rule = { name: 'No', policyType: 'WEBHOOK', policyData: { url: receiver.url, failOpen: true } };
    expect(await desk().call('rules.create', { paymasterId: dapp.paymasterId, rule })).toMatchObject(rule);
    expect(codeOf(await dapp.sponsor(op()))).toBe('WEBHOOK_DENIED');
  });

  test('none of 400 operations at once is signed against a receiver that says false, however long the queue for it', async () => {
    const held: ServerResponse[] = [];
    let answering = false;
    const receiver = await startReceiver((call, response) => {
      if (answering) deny(call, response);
      else held.push(response);
    });
    const dapp = await desk().dapp();
    await addRule(dapp, receiver.url, true);
    let answered = 0;
    const asked = Array.from({ length: 400 }, async (_, nonce) => {
      const code = codeOf(await dapp.sponsor(op({ nonce })));
      answered += 1;
      return code;
    });
    // All that finds no place in the queue is answered before the receiver says anything.
    await until(() => held.length === 32 && answered === 400 - 32 - 128);
    answering = true;
    for (const response of held) deny(receiver.calls[0]!, response);
    const codes = await Promise.all(asked);
    expect(codes.filter((code) => code === 'SPONSORED')).toEqual([]);
    expect(codes.filter((code) => code === 'WEBHOOK_DENIED')).toHaveLength(160);
  });

  test('one at the address of cloud metadata is not called', async () => {
    const dapp = await desk().dapp();
    await register(dapp, 'http://169.254.169.254/latest/meta-data/');
    expect(codeOf(await dapp.sponsor(op()))).toBe('WEBHOOK_ADDRESS_REFUSED');
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['not answered', () => undefined],
    ['answered only half', (response) => void response.writeHead(200).write('{"arePoliciesVerified":true')],
  ])('one that has %s when its time is over denies', async (_what, answer) => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver((_call, response) => answer(response))];
    await register(dapp, receiver.url);
    const asked = dapp.sponsor(op());
    await until(() => receiver.calls.length === 1);
    await desk().clock.advance(TIMEOUT_MS - 1);
    expect(await dapp.decisions()).toEqual([]);
    await desk().clock.advance(1);
    expect(codeOf(await asked)).toBe('WEBHOOK_TIMEOUT');
  });
});

describe('what a webhook receives', () => {
  const data = { user: 'ünïcode', params: { level: 7, vip: true, nested: { a: 1 } } };

  test('registered as POST: the data of the DApp, signed so that the public library verifies it', async () => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver(verify)];
    const webhookId = await register(dapp, `${receiver.url}/v?key=1`);
    const { secret } = await desk().call<{ secret: string }>('webhooks.secret', { webhookId });
    await dapp.sponsor(op(), withData(data));
    const [call] = receiver.calls;
    expect([call?.method, call?.target, call?.body]).toEqual(['POST', '/v?key=1', JSON.stringify({ data })]);
    const [decision] = await dapp.decisions();
    expect(call?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': decision?.id,
      'webhook-timestamp': String(Math.floor(desk().clock.now() / 1000)),
    });
    verifySignature(secret, call!);
    expect(() => verifySignature(secret, { ...call!, body: '{"data":{}}' })).toThrow('No matching signature found');
    expect(decision?.trace.at(-1)?.call).toMatchObject({
      request: { body: call!.body, headers: { 'webhook-signature': call!.headers['webhook-signature'] } },
      status: 200,
      response: '{"arePoliciesVerified":true}',
    });
  });

  test('registered as GET: the same in the query, scalars also as parameters of their own', async () => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver(verify)];
    await register(dapp, receiver.url, 'GET');
    expect(codeOf(await dapp.sponsor(op(), withData(data)))).toBe('SPONSORED');
    const [call] = receiver.calls;
    expect([call?.method, call?.body]).toEqual(['GET', '']);
    const { searchParams } = new URL(call!.target, receiver.url);
    expect(Object.fromEntries(searchParams)).toEqual({ data: JSON.stringify(data), level: '7', vip: 'true' });
  });

  test('registered as GET: all data is signed, so that no one on the network can alter, add or move anything', async () => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver(verify)];
    const webhookId = await register(dapp, `${receiver.url}/check?key=1`, 'GET');
    const { secret } = await desk().call<{ secret: string }>('webhooks.secret', { webhookId });
    await dapp.sponsor(op(), withData({ user: 'ünïcode & co', params: { level: 7, q: 'a b' } }));
    const call = receiver.calls[0]!;
    verifySignature(secret, call);
    for (const target of [
      call.target.replace('co%22', 'me%22'),
      call.target.replace('level=7', 'level=8'),
      call.target.replace('/check', '/other'),
      call.target.replace('key=1', 'key=2'),
      `${call.target}&level=8`,
      '/check',
    ]) {
      expect(target).not.toBe(call.target);
      expect(() => verifySignature(secret, { ...call, target })).toThrow('No matching signature found');
    }
    expect(() => verifySignature(secret, { ...call, method: 'POST' })).toThrow('No matching signature found');
  });

  test('so that the receiver which the console shows takes the calls of the desk, and no others', async () => {
    for (const requestType of ['GET', 'POST']) {
      const [dapp, receiver] = [await desk().dapp(), await startReceiver(verify)];
      const webhookId = await register(dapp, `${receiver.url}/check?key=1`, requestType);
      const { secret } = await desk().call<{ secret: string }>('webhooks.secret', { webhookId });
      await dapp.sponsor(op(), withData({ user: 'ünïcode' }));
      await dapp.sponsor(op({ nonce: '0x1' }), withData({ none: 1 }));
      const [verified, denied] = receiver.calls as [ReceivedCall, ReceivedCall];
      const shown = await runSnippet(secret);
      expect(await shown(verified)).toBe('{"arePoliciesVerified":true}');
      expect(await shown(denied)).toBe('{"arePoliciesVerified":false}');
      const { target, body } = verified;
      expect(await shown({ ...denied, target, body })).toBe('401');
    }
  });

  test('by a rule: the operation too, with its gas and without a paymaster', async () => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver(verify)];
    const ruleId = await addRule(dapp, `${receiver.url}/rule`);
    expect(codeOf(await dapp.sponsor(op({ nonce: '0xff' }), withData(data)))).toBe('SPONSORED');
    const [call] = receiver.calls;
    expect([call?.method, call?.target]).toEqual(['POST', '/rule']);
    expect(JSON.parse(call!.body)).toMatchObject({
      data,
      userOp: { sender: SENDER, nonce: '0xff', callGasLimit: '0x30d40', maxFeePerGas: '0x3b9aca00', initCode: '0x' },
    });
    expect((await webhookSteps(dapp))[0]?.call?.webhookId).toBe(ruleId);
    await desk().call('rules.deactivate', { paymasterId: dapp.paymasterId, ruleId });
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
    expect(receiver.calls).toHaveLength(1);
  });

  test('without any data: an empty object', async () => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver(verify)];
    await register(dapp, receiver.url);
    await dapp.sponsor(op());
    expect(receiver.calls[0]?.body).toBe('{"data":{}}');
  });
});

/** Runs the receiver that the console shows, at the time of the desk. What it answers to a call: a body, or a status. */
const runSnippet = async (secret: string): Promise<(call: ReceivedCall) => Promise<string>> => {
  const dir = makeTempFolder();
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(dir, 'node_modules'));
  const file = join(dir, 'receiver.mjs');
  const listening = "listen(0, '127.0.0.1', function () { console.log(this.address().port); });";
  const code = receiverSnippet.replace('listen(8080);', listening);
  expect(code).toContain(listening);
  writeFileSync(file, `Date.now = () => ${desk().clock.now()};\n${code}`);
  const receiver = spawn(process.execPath, [file], { env: { ...process.env, WEBHOOK_SECRET: secret } });
  onTestFinished(async () => {
    const exited = once(receiver, 'exit');
    receiver.kill();
    await exited;
    removeTempFolder(dir);
  });
  const [port] = (await once(receiver.stdout, 'data')) as [Buffer];
  return async ({ method, target, headers, body }) => {
    const signature = Object.entries(headers).filter(([name]) => name.startsWith('webhook-')) as [string, string][];
    const sent = { method, headers: signature, ...(body !== '' && { body }) };
    const response = await fetch(`http://127.0.0.1:${port.toString().trim()}${target}`, sent);
    return response.ok ? response.text() : String(response.status);
  };
};

/** Throws unless the public library takes the call, at the time at which it was made. */
const verifySignature = (secret: string, { method, target, headers, body }: ReceivedCall): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: desk().clock.now() });
  try {
    const signed = method === 'GET' ? `GET ${target}` : body;
    new Webhook(secret).verify(signed, headers as Record<string, string>, { jsonParse: false });
  } finally {
    vi.useRealTimers();
  }
};

describe('webhooks are asked', () => {
  test('not at all when a local rule denies', async () => {
    const [dapp, receiver] = [await desk().dapp(), await startReceiver(verify)];
    await register(dapp, receiver.url);
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1 });
    expect([codeOf(await dapp.sponsor(op())), receiver.calls.length]).toEqual(['SPONSORED', 1]);
    expect([codeOf(await dapp.sponsor(op())), receiver.calls.length]).toEqual(['LIMIT_REACHED', 1]);
    expect(await webhookSteps(dapp)).toEqual([]);
  });

  test('all at the same time, and one that denies is enough', async () => {
    const dapp = await desk().dapp();
    const held: ServerResponse[] = [];
    const slow = await startReceiver((_call, response) => held.push(response));
    for (const path of ['/one', '/two']) await register(dapp, slow.url + path);
    await addRule(dapp, `${slow.url}/three`);
    const asked = dapp.sponsor(op());
    // None is answered before all are there: one after the other would never end.
    await until(() => held.length === 3);
    expect(slow.calls.map(({ target }) => target).sort()).toEqual(['/one', '/three', '/two']);
    for (const [index, response] of held.entries()) {
      const isLast = slow.calls[index]!.target === '/three';
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ arePoliciesVerified: !isLast }));
    }
    expect(codeOf(await asked)).toBe('WEBHOOK_DENIED');
    expect((await webhookSteps(dapp)).map(({ code }) => code)).toEqual([
      'WEBHOOK_VERIFIED',
      'WEBHOOK_VERIFIED',
      'WEBHOOK_DENIED',
    ]);
  });

  test('without holding up a DApp that has none', async () => {
    const [slow, quick] = [await desk().dapp(), await desk().dapp()];
    const held: ServerResponse[] = [];
    const receiver = await startReceiver((_call, response) => held.push(response));
    await register(slow, receiver.url);
    const waiting = Array.from({ length: 20 }, (_, nonce) => slow.sponsor(op({ nonce })));
    await until(() => held.length === 20);
    const others = await Promise.all(Array.from({ length: 20 }, (_, nonce) => quick.sponsor(op({ nonce }))));
    expect(others.map(codeOf)).toEqual(Array.from({ length: 20 }, () => 'SPONSORED'));
    expect(await slow.decisions()).toEqual([]);
    for (const response of held) verify(receiver.calls[0]!, response);
    expect((await Promise.all(waiting)).map(codeOf)).toEqual(Array.from({ length: 20 }, () => 'SPONSORED'));
  });
});

describe('what happens while a webhook thinks', () => {
  /** Asks for an operation whose webhook answers `true` once `meanwhile` is done. */
  const during = async (dapp: SponsoredDapp, meanwhile: () => Promise<unknown>): Promise<RpcReply> => {
    let done: Promise<unknown> | undefined;
    const receiver = await startReceiver((call, response) => {
      done ??= meanwhile();
      void done.then(() => verify(call, response));
    });
    await register(dapp, receiver.url);
    return dapp.sponsor(op());
  };

  test('a webhook that is added is asked too', async () => {
    const [dapp, added] = [await desk().dapp(), await startReceiver(deny)];
    expect(codeOf(await during(dapp, () => register(dapp, added.url)))).toBe('WEBHOOK_DENIED');
    expect(added.calls).toHaveLength(1);
    const [first, second] = await webhookSteps(dapp);
    expect([first?.code, second?.code]).toEqual(['WEBHOOK_VERIFIED', 'WEBHOOK_DENIED']);
  });

  test('a limit that is added applies', async () => {
    const dapp = await desk().dapp();
    const reply = await during(dapp, () => desk().limit(dapp, { thresholdType: 'NATIVE_ASSET', threshold: 1e-18 }));
    expect(codeOf(reply)).toBe('LIMIT_TOO_SMALL');
  });

  test('a limit that others fill is full: what the webhook verified is not sponsored on top', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 3 });
    const held: ServerResponse[] = [];
    const receiver = await startReceiver((_call, response) => held.push(response));
    await register(dapp, receiver.url);
    const asked = Array.from({ length: 10 }, (_, nonce) => dapp.sponsor(op({ nonce })));
    await until(() => held.length === 10);
    for (const response of held) verify(receiver.calls[0]!, response);
    const codes = (await Promise.all(asked)).map(codeOf).sort();
    expect(codes).toEqual([...Array<string>(7).fill('LIMIT_REACHED'), ...Array<string>(3).fill('SPONSORED')]);
  });

  test('a window that rolls is the one that counts, and the promise begins when it is made', async () => {
    const dapp = await desk().dapp();
    await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1 });
    const { clock } = desk();
    const start = clock.now();
    await clock.advance(3_600_000 - 1_000);
    expect(codeOf(await during(dapp, () => clock.advance(1_000)))).toBe('SPONSORED');
    const [decision] = await dapp.decisions();
    expect(decision).toMatchObject({ at: start + 3_600_000, validAfter: Math.floor(start / 1000) + 3_600 - 60 });
    const limits = decision!.trace.filter(({ rule }) => rule === 'spendingLimit');
    expect(limits.map(({ evidence }) => evidence['windowEndsAt'])).toEqual([start + 2 * 3_600_000]);
    expect(codeOf(await dapp.sponsor(op()))).toBe('LIMIT_REACHED');
  });
});
