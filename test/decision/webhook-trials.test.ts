import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { startReceiver, verify } from '../support/webhook-receiver.ts';

type Trial = ProcedureOutput<'webhooks.test'>;
type ReceiverState = ProcedureOutput<'receiver.get'>;

const desk = useOfflineDesk();
const op = () => operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });

const register = async ({ paymasterId }: SponsoredDapp, webhookUrl: string, requestType = 'POST') =>
  desk().call<ProcedureOutput<'webhooks.create'>>('webhooks.create', { paymasterId, webhookUrl, requestType });
const addRule = async ({ paymasterId }: SponsoredDapp, url: string): Promise<string> => {
  const rule = { name: 'Ask', policyType: 'WEBHOOK', policyData: { url } };
  return (await desk().call<{ _id: string }>('rules.create', { paymasterId, rule }))._id;
};
const tryOut = (webhookId: string, data: object = {}, more: object = {}) =>
  desk().call<Trial>('webhooks.test', { webhookId, data, ...more });

describe('a test call', () => {
  test('goes out as a decision would send it, and says that it is a test', async () => {
    const receiver = await startReceiver(verify);
    const { webhookId } = await register(await desk().dapp(), receiver.url);
    const { secret } = await desk().call<{ secret: string }>('webhooks.secret', { webhookId });
    const { step, message, hint } = await tryOut(webhookId, { user: 'ann', n: 7 });
    const [call] = receiver.calls;
    expect(call).toMatchObject({ method: 'POST', body: '{"data":{"user":"ann","n":7}}' });
    expect(call?.headers['gasdesk-preview']).toBe('true');
    expect(call?.headers['webhook-signature']).toBe(
      new Webhook(secret).sign(String(call?.headers['webhook-id']), new Date(desk().clock.now()), call?.body ?? ''),
    );
    expect(step).toMatchObject({
      outcome: 'pass',
      code: 'WEBHOOK_VERIFIED',
      call: { status: 200, response: '{"arePoliciesVerified":true}', request: { body: call?.body } },
    });
    expect([message, hint]).toEqual([expect.stringContaining('Verified: an operation'), '']);
  });

  test('neither decides nor stores nor reserves anything, and works while the webhook is paused', async () => {
    const dapp = await desk().dapp();
    const limit = await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1 });
    const receiver = await startReceiver((_call, response: ServerResponse) => void response.writeHead(500).end('no'));
    const { webhookId } = await register(dapp, receiver.url, 'GET');
    await desk().call('webhooks.update', { paymasterId: dapp.paymasterId, webhookId, active: false });
    const before = await desk().call<{ decisions: number }>('system.info', {});
    for (let count = 0; count < 3; count += 1) {
      expect(await tryOut(webhookId, { params: { who: 'ann' } })).toMatchObject({
        step: { outcome: 'deny', code: 'WEBHOOK_STATUS', call: { status: 500, response: 'no' } },
        message: expect.stringContaining('answered with HTTP status 500'),
        hint: expect.stringContaining('arePoliciesVerified'),
      });
    }
    expect(receiver.calls[0]?.target).toContain('who=ann');
    expect((await desk().call<{ decisions: number }>('system.info', {})).decisions).toBe(before.decisions);
    expect(limit).not.toBe('');
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
  });

  test('to the webhook of a rule carries the operation that is given', async () => {
    const receiver = await startReceiver(verify);
    const ruleId = await addRule(await desk().dapp(), receiver.url);
    const trial = await tryOut(ruleId, { a: 1 }, { userOp: { sender: '0x01', nonce: '0x2' } });
    expect(trial.step.code).toBe('WEBHOOK_VERIFIED');
    expect(JSON.parse(receiver.calls[0]?.body ?? '')).toEqual({
      data: { a: 1 },
      userOp: { sender: '0x01', nonce: '0x2' },
    });
  });

  test('reaches no address that decisions may not reach', async () => {
    const { webhookId } = await register(await desk().dapp(), 'http://169.254.169.254/latest/meta-data');
    expect((await tryOut(webhookId)).step).toMatchObject({ code: 'WEBHOOK_ADDRESS_REFUSED' });
  });

  test('of an unregistered webhook is refused', async () => {
    await expect(tryOut('none')).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  });
});

describe('the local receiver', () => {
  const receiver = (name: 'start' | 'get' | 'stop') => desk().call<ReceiverState>(`receiver.${name}`, {});
  const set = (change: object) => desk().call<ReceiverState>('receiver.set', change);

  test('is registered like any webhook, and shows what a decision and a test sent it', async () => {
    const dapp = await desk().dapp();
    const { url } = await receiver('start');
    const { webhookId } = await register(dapp, url ?? '');
    expect(await set({ webhookId, behaviour: 'deny' })).toMatchObject({ webhookId, behaviour: 'deny', url });
    expect(codeOf(await dapp.sponsor(op(), { sponsorshipInfo: { webhookData: { user: 'ann' } } }))).toBe(
      'WEBHOOK_DENIED',
    );
    await set({ behaviour: 'verify' });
    expect((await tryOut(webhookId)).step.code).toBe('WEBHOOK_VERIFIED');
    const { calls } = await receiver('get');
    expect(calls.map(({ signature, behaviour, body }) => [signature, behaviour, body])).toEqual([
      ['valid', 'verify', '{"data":{}}'],
      ['valid', 'deny', '{"data":{"user":"ann"}}'],
    ]);
    expect(calls[1]?.headers).not.toHaveProperty('gasdesk-preview');
    expect(await receiver('stop')).toMatchObject({ url: null, calls: [] });
    await expect(set({ webhookId: 'none' })).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
    expect(await set({ webhookId: null })).toMatchObject({ webhookId: null });
  });

  test('ends with the engine', async () => {
    const { url } = await receiver('start');
    await desk().restart();
    await expect(fetch(url ?? '')).rejects.toThrow();
    expect((await receiver('get')).url).toBeNull();
  });
});

describe('a password in the URL of a webhook', () => {
  test('is sent to the webhook, and shown and stored nowhere', async () => {
    const receiver = await startReceiver(verify);
    const dapp = await desk().dapp();
    const withPassword = receiver.url.replace('http://', 'http://ann:pass-wOrd-77@');
    const { webhookId, webhookUrl } = await register(dapp, `${withPassword}/hook?a=b@c`);
    const ruleId = await addRule(dapp, `${withPassword}/rule`);
    const hidden = `${receiver.url.replace('http://', 'http://[secret]@')}/hook?a=[secret]#`;
    expect(webhookUrl.slice(0, -8)).toBe(hidden);
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
    expect((await tryOut(ruleId)).step.code).toBe('WEBHOOK_VERIFIED');
    const basic = `Basic ${Buffer.from('ann:pass-wOrd-77').toString('base64')}`;
    expect(receiver.calls.map(({ target, headers }) => [target, headers.authorization])).toEqual(
      expect.arrayContaining([
        ['/hook?a=b@c', basic],
        ['/rule', basic],
      ]),
    );
    const { paymasterId } = dapp;
    const shown = [
      await desk().call('webhooks.list', { paymasterId }),
      await desk().call('rules.list', { paymasterId }),
      await dapp.decisions(),
    ];
    expect(JSON.stringify(shown)).not.toContain('pass-wOrd-77');
    const { dir } = desk();
    for (const file of readdirSync(dir)) {
      if (/\.db|\.json/.test(file)) expect(readFileSync(join(dir, file), 'latin1'), file).not.toContain('pass-wOrd-77');
    }
    await desk().restart();
    expect((await tryOut(webhookId)).step.code).toBe('WEBHOOK_VERIFIED');
    await desk().call('webhooks.delete', { paymasterId, webhookId });
    await expect(tryOut(webhookId)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  });
});

test('a webhook of another DApp that hangs holds up no operation, though both are on one server', async () => {
  let held: ServerResponse | undefined;
  const server = await startReceiver((call, response) => {
    if (call.target === '/slow') held = response;
    else verify(call, response);
  });
  const [slow, quick] = [await desk().dapp(), await desk().dapp()];
  await register(slow, `${server.url}/slow`);
  await register(quick, `${server.url}/quick`);
  const waiting = Array.from({ length: 40 }, () => slow.sponsor(op()));
  await expect.poll(() => held, { interval: 2 }).toBeDefined();
  expect(codeOf(await quick.sponsor(op()))).toBe('SPONSORED');
  await desk().clock.advance(3_000);
  await Promise.all(waiting);
});

describe('a key in the path or the query of the URL of a webhook', () => {
  const [IN_PATH, IN_QUERY] = ['xq7Rk29PathMarker31', 'hookQueryMarker77'];
  const revision = async ({ paymasterId }: SponsoredDapp): Promise<string> =>
    (await desk().call<{ revision: string }>('policies.show', { paymasterId })).revision;

  test('reaches the webhook, and no record, export, answer or file', async () => {
    const receiver = await startReceiver((call, response) => {
      if (!call.target.startsWith('/moved')) verify(call, response);
      else response.writeHead(302, { location: `/moved/${IN_PATH}/?key=${IN_QUERY}` }).end();
    });
    const dapp = await desk().dapp();
    const { paymasterId } = dapp;
    const { webhookId } = await register(dapp, `${receiver.url}/hooks/${IN_PATH}?key=${IN_QUERY}`);
    const ruleId = await addRule(dapp, `${receiver.url}/services/${IN_PATH}?${IN_QUERY}`);
    expect(codeOf(await dapp.sponsor(op()))).toBe('SPONSORED');
    expect(receiver.calls.map(({ target }) => target).toSorted()).toEqual([
      `/hooks/${IN_PATH}?key=${IN_QUERY}`,
      `/services/${IN_PATH}?${IN_QUERY}`,
    ]);
    const moved = await register(dapp, `${receiver.url}/moved/${IN_PATH}`);
    expect(codeOf(await dapp.sponsor(op()))).toBe('WEBHOOK_REDIRECT');

    const answers = [
      await desk().call('webhooks.list', { paymasterId }),
      await desk().call('rules.list', { paymasterId }),
      await desk().call('webhooks.calls', { paymasterId }),
      await desk().call('policies.show', { paymasterId }),
      await desk().call('policies.history', { paymasterId, limit: 10 }),
      await tryOut(ruleId),
      await tryOut(moved.webhookId),
      await dapp.decisions(),
    ];
    expect(JSON.stringify(answers)).toContain('/hooks/[secret]?key=[secret]');
    const { dir } = desk();
    const files = readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    for (const marker of [IN_PATH, IN_QUERY]) {
      expect(JSON.stringify(answers)).not.toContain(marker);
      expect(files.filter((text) => text.includes(marker))).toEqual([]);
    }
    // What is shown, sent back, changes nothing; part of it is no URL.
    const [{ webhookUrl }] = await desk().call<[{ webhookUrl: string }]>('webhooks.list', { paymasterId, webhookId });
    await desk().call('webhooks.setUrl', { paymasterId, webhookId, webhookUrl });
    const part = { paymasterId, webhookId, webhookUrl: `${receiver.url}/other/[secret]` };
    await expect(desk().call('webhooks.setUrl', part)).rejects.toMatchObject({ code: 'VALIDATION' });
    expect((await tryOut(webhookId)).step.code).toBe('WEBHOOK_VERIFIED');
  });

  test('makes another revision of the policy when it changes, and survives a policy file', async () => {
    const receiver = await startReceiver(verify);
    const dapp = await desk().dapp();
    const { paymasterId } = dapp;
    const url = (key: string) => `${receiver.url}/hooks/${key}`;
    const { webhookId } = await register(dapp, url(IN_PATH));
    const first = await revision(dapp);
    const setUrl = (key: string) => desk().call('webhooks.setUrl', { paymasterId, webhookId, webhookUrl: url(key) });
    await setUrl(`${IN_PATH}2`);
    const second = await revision(dapp);
    expect(second).not.toBe(first);
    await setUrl(IN_PATH);
    expect(await revision(dapp)).toBe(first);

    const { text } = await desk().call<{ text: string }>('policies.export', { paymasterId });
    expect(text).toContain('/hooks/[secret]\n');
    expect(await desk().call('policies.apply', { paymasterId, text })).toMatchObject({
      before: first,
      revision: first,
    });
    await desk().call('policies.apply', {
      paymasterId,
      text: text.replace('maxExpirySeconds: 3600', 'maxExpirySeconds: 600'),
    });
    expect((await tryOut(webhookId)).step.code).toBe('WEBHOOK_VERIFIED');
    expect(receiver.calls.at(-1)?.target).toBe(`/hooks/${IN_PATH}`);
  });
});
