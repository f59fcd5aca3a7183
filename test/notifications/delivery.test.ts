import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { type ReceivedCall, startReceiver } from '../support/webhook-receiver.ts';

const desk = useOfflineDesk();
const careful = useOfflineDesk({ webhookAllowPrivate: false });
type State = ProcedureOutput<'notifications.webhook'>;

const state = () => desk().call<State>('notifications.webhook', {});
const setUrl = (url: string | null) => desk().call<State>('notifications.setWebhook', { url });
const pause = () => desk().call('system.pause', { reason: 'Upgrading' });
const resume = () => desk().call('system.resume', {});
afterEach(async () => {
  await setUrl(null);
  await resume();
});

const take = (_call: ReceivedCall, response: ServerResponse): void => void response.writeHead(204).end();
const eventsOf = (calls: readonly ReceivedCall[]): unknown[] =>
  calls.map(({ body }) => (JSON.parse(body) as { data: { type: unknown } }).data.type);

test('what begins and what ends is sent, signed as calls of webhooks are, with the way to the page', async () => {
  const receiver = await startReceiver(take);
  await setUrl(`${receiver.url}/hook?key=1`);
  await pause();
  await expect.poll(() => eventsOf(receiver.calls)).toEqual(['notification.raised']);
  await resume();
  await expect.poll(() => eventsOf(receiver.calls)).toEqual(['notification.raised', 'notification.ended']);
  const { secret } = await desk().call<{ secret: string }>('notifications.secret', {});
  const [raised, ended] = receiver.calls;
  const data = {
    kind: 'paused',
    title: 'All sponsorship is paused',
    body: 'Upgrading',
    id: expect.any(String),
    raisedAt: expect.any(Number),
    page: `${desk().engine().url}/console/#/`,
  };
  for (const [call, rest] of [
    [ended!, { type: 'notification.ended', endedAt: desk().clock.now() }],
    [raised!, { type: 'notification.raised', endedAt: null }],
  ] as const) {
    // The library of receivers compares the time with the machine's; the signature is what counts here.
    const { headers, body } = call;
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    const id = String(headers['webhook-id']);
    expect(new Webhook(secret).sign(id, at, body)).toBe(headers['webhook-signature']);
    expect(JSON.parse(body)).toEqual({ data: { ...data, ...rest } });
    expect([call.method, call.target, headers['content-type']]).toEqual(['POST', '/hook?key=1', 'application/json']);
  }
  expect(ended!.headers['webhook-id']).not.toBe(raised!.headers['webhook-id']);
  await expect
    .poll(state)
    .toEqual({
      url: expect.stringMatching(/\/hook\?key=\[secret\]#[0-9a-f]{8}$/),
      attemptedAt: desk().clock.now(),
      error: null,
      waiting: 0,
    });
});

test('what the receiver does not take is sent again under the same id, also after a restart, and the reason is shown', async () => {
  let status = 500;
  const receiver = await startReceiver((_call, response) => void response.writeHead(status).end());
  await setUrl(receiver.url);
  await pause();
  await expect
    .poll(state)
    .toMatchObject({ error: `The webhook at 127.0.0.1:${receiver.port} answered with HTTP status 500.`, waiting: 1 });
  await desk().restart();
  await expect.poll(() => receiver.calls.length).toBe(2);
  status = 302;
  await expect
    .poll(async () => {
      await desk().clock.advance(60_000);
      return (await state()).error;
    })
    .toContain('answered with a redirect');
  status = 200;
  await expect
    .poll(async () => {
      await desk().clock.advance(60_000);
      return state();
    })
    .toMatchObject({ error: null, waiting: 0 });
  const sent = receiver.calls.length;
  expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await desk().clock.advance(10 * 60_000);
  expect(receiver.calls).toHaveLength(sent);
});

test('a notification that was not delivered for a day is given up', async () => {
  const receiver = await startReceiver((_call, response) => void response.writeHead(503).end());
  await setUrl(receiver.url);
  await pause();
  await expect.poll(state).toMatchObject({ waiting: 1 });
  await desk().clock.advance(25 * 3_600_000);
  await expect
    .poll(async () => {
      await desk().clock.advance(60_000);
      return state();
    })
    .toMatchObject({ waiting: 0 });
});

test('a test call says what came of it, and decides nothing', async () => {
  await expect(desk().call('notifications.test', {})).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  const receiver = await startReceiver(take);
  await setUrl(receiver.url);
  expect(await desk().call('notifications.test', {})).toEqual({
    ok: true,
    message: 'The webhook accepted the test notification.',
  });
  expect(eventsOf(receiver.calls)).toEqual(['notification.test']);
  await setUrl('http://127.0.0.1:1/');
  expect(await desk().call('notifications.test', {})).toEqual({
    ok: false,
    message: 'The webhook at 127.0.0.1:1 cannot be reached: the connection was refused.',
  });
  expect(await state()).toMatchObject({ error: expect.stringContaining('refused'), waiting: 0 });
});

test('a password in the URL is kept in the vault, and used', async () => {
  const receiver = await startReceiver(take);
  const url = receiver.url.replace('//', '//me:s3cret@');
  expect(await setUrl(url)).toMatchObject({ url: receiver.url.replace('//', '//[secret]@') });
  expect(await desk().call('notifications.test', {})).toMatchObject({ ok: true });
  expect(receiver.calls[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:s3cret').toString('base64')}`);
});

test('no URL leads to an address that webhooks must not be at', async () => {
  const receiver = await startReceiver(take);
  await careful().call('notifications.setWebhook', { url: receiver.url });
  expect(await careful().call('notifications.test', {})).toMatchObject({
    ok: false,
    message: expect.stringContaining('Gasdesk does not call the address 127.0.0.1 (loopback)'),
  });
  await setUrl('http://169.254.169.254/latest');
  expect(await desk().call('notifications.test', {})).toMatchObject({
    ok: false,
    message: expect.stringContaining('(cloudMetadata)'),
  });
  expect(receiver.calls).toEqual([]);
  await expect(setUrl('file:///etc/passwd')).rejects.toMatchObject({ code: 'VALIDATION' });
});
