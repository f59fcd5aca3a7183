import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { AlertChannelView } from '../../src/api/alerts.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { type ReceivedCall, startReceiver } from '../support/webhook-receiver.ts';
import { startMailServer } from './mail-server.ts';

const desk = useOfflineDesk();
const careful = useOfflineDesk({ webhookAllowPrivate: false });
const MINUTE = 60_000;

const add = (input: object) => desk().call<AlertChannelView>('alerts.create', input);
const list = () => desk().call<AlertChannelView[]>('alerts.list', {});
const pause = (reason = 'Upgrading') => desk().call('system.pause', { reason });
const resume = () => desk().call('system.resume', {});
const tryOut = (channelId: string) => desk().call<{ ok: boolean; message: string }>('alerts.test', { channelId });
afterEach(async () => {
  await resume();
  for (const { channelId } of await list()) await desk().call('alerts.delete', { channelId });
});

const accept = (_call: ReceivedCall, response: ServerResponse): void => void response.writeHead(200).end('ok');
const bodies = (calls: readonly ReceivedCall[]): Record<string, unknown>[] =>
  calls.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
/** Lets time pass at each look. */
const eventually = <T>(look: () => T | Promise<T>, ms = 5_000) =>
  expect.poll(async () => {
    await desk().clock.advance(ms);
    return look();
  });

test('a person gets one mail when something starts, and one when it is over', async () => {
  const server = await startMailServer();
  const mail = { kind: 'mail', recipient: 'ops@example.org', sender: 'desk@example.org' };
  const { channelId, host } = await add({ ...mail, url: server.url });
  expect(host).toBe(`127.0.0.1:${server.port}`);
  expect(await tryOut(channelId)).toEqual({ ok: true, message: 'The test alert was accepted.' });
  await pause();
  await pause('Upgrading still');
  await eventually(() => server.mails.length).toBe(2);
  await desk().clock.advance(12 * MINUTE);
  await resume();
  await eventually(() => server.mails.length).toBe(3);
  const [trial, raised, ended] = server.mails;
  expect(trial?.source).toContain('Alerts arrive here.');
  expect(raised).toMatchObject({ user: 'desk', from: 'desk@example.org', to: ['ops@example.org'] });
  expect(raised?.source).toContain('Subject: Gasdesk: All sponsorship is paused');
  expect(raised?.source).toContain('Upgrading');
  expect(raised?.source).toContain('/console/#/');
  expect(ended?.source).toContain('Subject: Gasdesk: Resolved: All sponsorship is paused');
  expect(ended?.source).toMatch(/It lasted \d+ min/);
});

test('a mail server that refuses the desk is named with its reason, and the password is not shown', async () => {
  const server = await startMailServer();
  const { channelId } = await add({
    kind: 'mail',
    recipient: 'ops@example.org',
    sender: 'desk@example.org',
    url: server.url.replace('open%20sesame', 'wrong'),
  });
  const { ok, message } = await tryOut(channelId);
  expect([ok, message]).toEqual([false, expect.stringContaining('Wrong user name or password')]);
  expect(JSON.stringify(await list())).not.toContain('wrong@');
  expect((await list())[0]?.error).toBe(message);
  await desk().call('alerts.update', { channelId, url: server.url });
  expect((await tryOut(channelId)).ok).toBe(true);
});

test.each([
  ['slack', undefined, { text: expect.stringContaining('All sponsorship is paused\n&lt;!channel&gt; &amp; @all') }],
  [
    'discord',
    undefined,
    {
      content: expect.stringContaining('All sponsorship is paused\n<!channel> & @all'),
      allowed_mentions: { parse: [] },
    },
  ],
  ['telegram', '-100123', { chat_id: '-100123', text: expect.stringContaining('<!channel> & @all') }],
  ['mattermost', undefined, { text: expect.stringContaining('<!channel> & @\u200ball') }],
])('%s gets the text in its own shape, and it mentions no one', async (kind, recipient, expected) => {
  const receiver = await startReceiver(accept);
  await add({ kind, url: `${receiver.url}/hooks/T0/secret`, recipient });
  await pause('<!channel> & @all');
  await eventually(() => bodies(receiver.calls)).toEqual([expected]);
  expect(receiver.calls[0]?.target).toBe('/hooks/T0/secret');
  expect(JSON.stringify(await list())).not.toContain('secret');
  await resume();
  await eventually(() => receiver.calls.length).toBe(2);
  expect(JSON.stringify(bodies(receiver.calls)[1])).toContain('Resolved: All sponsorship is paused');
});

test('no one is woken in quiet hours, and one message says what is over by then', async () => {
  const receiver = await startReceiver(accept);
  const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const now = desk().clock.now();
  await add({ kind: 'slack', url: receiver.url, quiet: { from: timeOf(now - MINUTE), to: timeOf(now + 60 * MINUTE) } });
  await pause();
  await desk().clock.advance(20 * MINUTE);
  await resume();
  await desk().clock.advance(20 * MINUTE);
  expect(receiver.calls).toEqual([]);
  await desk().clock.advance(30 * MINUTE);
  await eventually(() => receiver.calls.length).toBe(1);
  expect(bodies(receiver.calls)[0]?.['text']).toMatch(/^Resolved: All sponsorship is paused\nIt lasted 20 min\./);
});

test('what a chat does not take is sent again, also after a restart, until a day has passed', async () => {
  let isUp = false;
  const receiver = await startReceiver((call, response) =>
    isUp ? accept(call, response) : void response.writeHead(500).end(),
  );
  const { channelId } = await add({ kind: 'slack', url: receiver.url });
  await pause();
  await eventually(() => receiver.calls.length).toBeGreaterThan(1);
  expect((await list())[0]?.error).toContain('500');
  await desk().restart();
  isUp = true;
  const before = receiver.calls.length;
  await eventually(() => receiver.calls.length, MINUTE).toBe(before + 1);
  await desk().call('alerts.update', { channelId, active: false });
  await resume();
  await desk().call('alerts.update', { channelId, active: true });
  await desk().clock.advance(MINUTE);
  expect(receiver.calls).toHaveLength(before + 1);
});

test('an account may have 20 channels, and the desk 20 of its own', async () => {
  const channel = { kind: 'slack', url: 'http://127.0.0.1:1/' };
  const { accountId } = await desk().call<{ accountId: string }>('accounts.create', { name: 'With many channels' });
  for (const owner of [{}, { accountId }]) {
    for (let count = 0; count < 20; count += 1) await add({ ...channel, ...owner });
    await expect(add({ ...channel, ...owner })).rejects.toMatchObject({ code: 'TOO_MANY' });
  }
  const [first] = await list();
  expect(await list()).toHaveLength(40);
  await desk().call('alerts.delete', { channelId: first!.channelId });
  await add(channel);
});

test('an alert goes to no address that webhooks may not have', async () => {
  const receiver = await startReceiver(accept);
  const server = await startMailServer();
  const create = (input: object) => careful().call<AlertChannelView>('alerts.create', input);
  const chat = await create({ kind: 'slack', url: receiver.url });
  const mail = await create({ kind: 'mail', url: server.url, recipient: 'a@b.example', sender: 'a@b.example' });
  for (const { channelId } of [chat, mail]) {
    const result = await careful().call<{ ok: boolean; message: string }>('alerts.test', { channelId });
    expect(result).toEqual({
      ok: false,
      message: expect.stringContaining('Gasdesk does not call the address 127.0.0.1 (loopback)') as string,
    });
  }
  expect(receiver.connections()).toBe(0);
  expect(server.mails).toEqual([]);
});

test.each([
  [{ kind: 'mail', url: 'https://example.org/', recipient: 'a@b.example', sender: 'a@b.example' }, /smtp or smtps URL/],
  [{ kind: 'slack', url: 'smtp://example.org' }, /http or https URL/],
  [
    { kind: 'mail', url: 'smtp://example.org', recipient: 'a@b.example\r\nBcc: all@b.example', sender: 'a@b.example' },
    /mail/,
  ],
  [{ kind: 'mail', url: 'smtp://example.org', sender: 'a@b.example' }, /recipient must be a mail address/],
  [{ kind: 'telegram', url: 'https://example.org/' }, /id of a Telegram chat/],
  [{ kind: 'slack', url: 'https://example.org/', quiet: { from: '25:00', to: '07:00' } }, /quiet.from must be a time/],
  [{ kind: 'slack', url: 'https://example.org/', quiet: { from: '22:00', to: '07:00', zone: 'Mars' } }, /time zone/],
])('%j is refused, and the field is named', async (input, message) => {
  await expect(add(input)).rejects.toThrow(message);
});
