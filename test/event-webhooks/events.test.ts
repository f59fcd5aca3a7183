import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import type { EventWebhookView } from '../../src/api/event-webhooks.ts';
import type { NotificationView } from '../../src/api/notifications.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { type ReceivedCall, startRawReceiver, startReceiver } from '../support/webhook-receiver.ts';
import { accept, eventOf, eventsOf, typesOf } from './desk-events.ts';

const desk = useOfflineDesk();
const { gameDapp, ask, add, list, deliveries, removeAll } = eventsOf(desk);
afterEach(removeAll);

/** Lets a second pass at each look, because the desk looks for events once a second. */
const eventually = <T>(look: () => T | Promise<T>) =>
  expect.poll(async () => {
    await desk().clock.advance(1_000);
    return look();
  });

test('a DApp receives what was decided, in its order, with the line of the decision, signed', async () => {
  const [dapp, other] = [await gameDapp(), await gameDapp()];
  const receiver = await startReceiver(accept);
  const { secret, webhookId, ...webhook } = await add({ paymasterId: dapp.paymasterId, url: receiver.url });
  expect(webhook).toMatchObject({ active: true, failing: null, paymasterId: dapp.paymasterId });
  await ask(dapp);
  await ask(other);
  await ask(dapp, 'burn');
  await ask(dapp);
  await eventually(() => typesOf(receiver.calls)).toEqual([
    'operation.sponsored',
    'operation.denied',
    'operation.sponsored',
  ]);
  const decisions = (await dapp.decisions()).reverse();
  for (const [index, call] of receiver.calls.entries()) {
    // The package checks times with the real clock, and the desk has another one.
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = call.headers;
    expect(new Webhook(secret).sign(String(id), new Date(Number(time) * 1_000), call.body)).toBe(signature);
    expect(eventOf(call)).toEqual({
      type: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { ...decisions[index], actualCostWei: null, settlement: decisions[index]?.settlement },
    });
  }
  expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  const [last] = await deliveries(webhookId);
  expect(last).toMatchObject({
    type: 'operation.sponsored',
    state: 'delivered',
    status: 204,
    attempts: 1,
    error: null,
  });
  expect(last?.requestHeaders['webhook-signature']).toMatch(/^v1,/);
  expect(JSON.parse(last?.requestBody ?? '')).toMatchObject({ type: 'operation.sponsored' });
});

const HOUR = 3_600_000;
const notified = async (): Promise<NotificationView[]> => {
  const { notifications } = await desk().call<{ notifications: NotificationView[] }>('notifications.list', {});
  return notifications.filter(({ kind }) => kind === 'eventWebhook');
};

test('a receiver that is gone for a day, or refuses an event for a day, loses only that one, and gets the rest in order', async () => {
  const dapp = await gameDapp();
  let answer = (_call: ReceivedCall, response: ServerResponse): void => void response.writeHead(503).end('later');
  const receiver = await startReceiver((call, response) => answer(call, response));
  const { paymasterId } = dapp;
  const events = ['operation.sponsored', 'operation.denied'];
  const { webhookId } = await add({ paymasterId, url: receiver.url, events });
  const picky = await startReceiver((call, response) => {
    if (eventOf(call).type === 'operation.sponsored') accept(call, response);
    else answer(call, response);
  });
  const { webhookId: refusing } = await add({ paymasterId, url: picky.url, events });
  await ask(dapp, 'burn');
  await ask(dapp);
  await ask(dapp, 'burn');
  await ask(dapp);
  await eventually(() => receiver.calls.length).toBeGreaterThan(2);
  expect((await list())[0]?.failing).toMatchObject({ attempts: expect.any(Number), nextAt: expect.any(Number) });
  const open = async () => (await notified()).filter(({ endedAt }) => endedAt === null);
  const titles = async () => (await open()).map(({ title }) => title).toSorted();
  await eventually(titles).toEqual(['An event webhook does not accept events', 'An event webhook refuses an event']);
  expect((await open())[0]).toMatchObject({ body: expect.stringContaining('503'), page: '/events' });
  const first = receiver.calls[0]?.headers['webhook-id'];
  await expect
    .poll(async () => {
      await desk().clock.sleep(HOUR / 2);
      return (await deliveries(webhookId)).filter(({ state }) => state === 'givenUp').map(({ eventId }) => eventId);
    })
    .toEqual([first]);
  const [givenUp] = (await deliveries(webhookId)).filter(({ state }) => state === 'givenUp');
  expect(givenUp).toMatchObject({ status: 503, response: 'later', error: expect.stringContaining('503') });
  expect(givenUp?.attempts).toBeLessThan(50);
  const statesOf = async (id: string) => (await deliveries(id)).map(({ state }) => state).toSorted();
  await expect
    .poll(async () => {
      await desk().clock.sleep(HOUR);
      return statesOf(refusing);
    })
    .toEqual(['delivered', 'delivered', 'givenUp', 'givenUp']);
  answer = accept;
  const missed = receiver.calls.length;
  await expect
    .poll(async () => {
      await desk().clock.sleep(HOUR);
      return typesOf(receiver.calls.slice(missed));
    })
    .toEqual(['operation.sponsored', 'operation.denied', 'operation.sponsored']);
  await eventually(open).toEqual([]);
  expect(await desk().call('eventWebhooks.redeliver', { webhookId })).toEqual({ deliveries: 1 });
  await eventually(() => receiver.calls.at(-1)?.headers['webhook-id']).toBe(first);
  expect(await desk().call('eventWebhooks.redeliver', { webhookId: refusing })).toEqual({ deliveries: 2 });
  for (const id of [webhookId, refusing])
    await eventually(() => statesOf(id)).toEqual(Array.from({ length: 4 }, () => 'delivered'));
});

test.each([
  ['an error of the client, at once', 422],
  ['an error of the server, after some calls', 500],
  ['no answer, after some calls', 0],
])('an event that a receiver refuses delays only itself, and is seen and sent again: %s', async (_name, status) => {
  const dapp = await gameDapp();
  const { paymasterId } = dapp;
  let isMended = false;
  const isPoison = (call: ReceivedCall): boolean => eventOf(call).type === 'operation.denied' && !isMended;
  const receiver = await startReceiver((call, response) => {
    if (!isPoison(call)) accept(call, response);
    else if (status !== 0) response.writeHead(status).end('I know no such event');
  });
  const events = ['operation.sponsored', 'operation.denied'];
  const { webhookId } = await add({ paymasterId, url: receiver.url, events });
  await ask(dapp, 'burn');
  await ask(dapp);
  await ask(dapp, 'burn');
  await ask(dapp);
  const accepted = () => receiver.calls.filter((call) => !isPoison(call)).map((call) => eventOf(call).data['id']);
  const sponsored = (await dapp.decisions()).filter(({ outcome }) => outcome === 'sponsored').map(({ id }) => id);
  await eventually(() => accepted()).toEqual(sponsored.toReversed());
  const stateOf = async () => (await deliveries(webhookId)).map(({ state }) => state).toSorted();
  await eventually(stateOf).toEqual(['aside', 'aside', 'delivered', 'delivered']);
  expect((await list())[0]).toMatchObject({ failing: null, aside: 2 });
  expect((await deliveries(webhookId)).find(({ state }) => state === 'aside')).toMatchObject({
    status: status === 0 ? null : status,
    response: status === 0 ? '' : 'I know no such event',
    nextAt: expect.any(Number),
  });
  await eventually(async () => (await notified())[0]).toMatchObject({
    title: 'An event webhook refuses an event',
    endedAt: null,
  });
  // New events do not wait for those that are set aside.
  await ask(dapp);
  await eventually(() => accepted()).toHaveLength(3);
  isMended = true;
  await eventually(async () => new Set(await stateOf())).toEqual(new Set(['delivered']));
  expect((await list())[0]?.aside).toBe(0);
  await eventually(async () => (await notified())[0]?.endedAt).toEqual(expect.any(Number));
});

test('what a receiver answers, and whether it does, changes nothing for the desk', async () => {
  const dapp = await gameDapp();
  const { paymasterId } = dapp;
  const redirects = await startReceiver((_call, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  });
  const hangs = await startReceiver(() => undefined);
  const endless = await startReceiver((_call, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  const babble = await startRawReceiver((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
  const good = await startReceiver(accept);
  const webhooks: EventWebhookView[] = [];
  for (const { url } of [redirects, hangs, endless, babble, good]) webhooks.push(await add({ paymasterId, url }));
  await ask(dapp);
  const states = async () => {
    const all = await Promise.all(webhooks.map(async ({ webhookId }) => (await deliveries(webhookId))[0]));
    return all.map((one) => [one?.state, one?.error?.replace(/127[.\d:]+/, 'HOST')]);
  };
  await expect
    .poll(async () => {
      await desk().clock.advance(5_000);
      return states();
    })
    .toEqual([
      ['failing', expect.stringContaining('redirect')],
      ['failing', expect.stringContaining('15000 ms')],
      // It took the event: its status said so.
      ['delivered', undefined],
      ['failing', expect.stringContaining('HTTP')],
      ['delivered', undefined],
    ]);
  const [ofEndless] = await deliveries(webhooks[2]!.webhookId);
  expect(ofEndless?.response.length).toBeLessThan(20_000);
});

test('a webhook receives only the events that it asks for, and after a pause all that waited', async () => {
  const dapp = await gameDapp();
  const { paymasterId } = dapp;
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 2 });
  const receiver = await startReceiver(accept);
  const { webhookId } = await add({ paymasterId, url: receiver.url, events: ['limit.reached', 'policy.changed'] });
  for (let time = 0; time < 4; time += 1) await ask(dapp);
  await eventually(() => typesOf(receiver.calls)).toEqual(['limit.reached', 'limit.reached']);
  expect(eventOf(receiver.calls[0]!).data).toMatchObject({ code: 'LIMIT_REACHED', paymasterId, outcome: 'denied' });
  await desk().call('eventWebhooks.update', { webhookId, active: false });
  await ask(dapp);
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 20 });
  await desk().clock.advance(10_000);
  expect(receiver.calls).toHaveLength(2);
  await desk().call('eventWebhooks.update', { webhookId, active: true });
  await eventually(() => typesOf(receiver.calls.slice(2))).toEqual(['limit.reached', 'policy.changed']);
  expect(eventOf(receiver.calls[3]!).data).toEqual({ paymasterId, policy: expect.stringMatching(/^sha256:/) });
});

test('the desk and an account receive the events of all their DApps, and what concerns the desk', async () => {
  const [dapp, other] = [await gameDapp(), await gameDapp()];
  const { accountId } = await desk().call<{ accountId: string }>('accounts.create', { name: 'Another' });
  const [ofDesk, ofDapp, ofNobody] = [
    await startReceiver(accept),
    await startReceiver(accept),
    await startReceiver(accept),
  ];
  const events = ['operation.sponsored', 'backup.failed'];
  await add({ url: ofDesk.url, events });
  await add({ url: ofDapp.url, paymasterId: dapp.paymasterId });
  await add({ url: ofNobody.url, accountId });
  await ask(dapp);
  await ask(other);
  await expect(
    desk().call('backups.create', { file: '/nowhere/at/all.gasdesk-backup', passphrase: 'correct horse battery' }),
  ).rejects.toThrow();
  await eventually(() => typesOf(ofDesk.calls)).toEqual([
    'operation.sponsored',
    'operation.sponsored',
    'backup.failed',
  ]);
  expect(eventOf(ofDesk.calls[2]!).data).toMatchObject({ kind: 'backup', title: 'A backup failed' });
  expect(typesOf(ofDapp.calls)).toEqual(['operation.sponsored']);
  expect(ofNobody.calls).toEqual([]);
});

test('what was not sent when the desk stopped is sent after its start', async () => {
  const dapp = await gameDapp();
  let isUp = false;
  const receiver = await startReceiver((call, response) =>
    isUp ? accept(call, response) : void response.socket?.destroy(),
  );
  await add({ paymasterId: dapp.paymasterId, url: receiver.url });
  await ask(dapp);
  await ask(dapp, 'burn');
  await desk().restart();
  isUp = true;
  const before = receiver.calls.length;
  await expect
    .poll(async () => {
      await desk().clock.advance(60_000);
      return typesOf(receiver.calls.slice(before));
    })
    .toEqual(['operation.sponsored', 'operation.denied']);
});
