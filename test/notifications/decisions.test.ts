import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import type { NotificationView } from '../../src/api/notifications.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { type ReceivedCall, startReceiver, verify } from '../support/webhook-receiver.ts';

const desk = useOfflineDesk();
const MINUTE = 60_000;
const ITEMS = `0x${'11'.repeat(20)}` as const;

let dapp: SponsoredDapp;
let subject: string;
beforeEach(async () => {
  dapp = await desk().dapp();
  subject = dapp.paymasterId;
  await desk().call('contracts.create', {
    paymasterId: subject,
    name: 'Items',
    address: ITEMS,
    abi: gameItems.formatJson(),
    whitelistedMethods: ['mint'],
  });
});

let nonces = 0;
const ask = async (method: 'mint' | 'burn', times = 1): Promise<string> => {
  let code = '';
  for (let time = 0; time < times; time += 1) {
    nonces += 1;
    code = codeOf(await dapp.sponsor(operation({ to: ITEMS, data: gameCall(method) }, { nonce: `0x${nonces}` })));
  }
  return code;
};
/** The notifications of a kind, newest first. */
const told = async (kind: string): Promise<NotificationView[]> => {
  const { notifications } = await desk().call<{ notifications: NotificationView[] }>('notifications.list', {});
  return notifications.filter((one) => one.kind === kind);
};

test('a burst of denials is reported once, with a link to the decision, and is over after ten calm minutes', async () => {
  expect(await ask('burn', 19)).toBe('METHOD_NOT_WHITELISTED');
  expect(await told('denials')).toEqual([]);
  await ask('burn', 6);
  const [burst, ...others] = await told('denials');
  expect(others).toEqual([]);
  expect(burst).toMatchObject({
    title: expect.stringMatching(/^Many operations of DApp \d+ are denied$/),
    body: expect.stringContaining('20 were denied within a minute. The last one:'),
    endedAt: null,
    seen: false,
    raisedAt: desk().clock.now(),
  });
  expect(burst!.page).toBe(`/decisions/${(await dapp.decisions())[5]!.id}`);
  await desk().clock.advance(9 * MINUTE);
  await ask('burn', 20);
  await desk().clock.advance(9 * MINUTE);
  expect(await told('denials')).toEqual([burst]);
  await desk().clock.advance(2 * MINUTE);
  await expect.poll(async () => (await told('denials'))[0]?.endedAt).toEqual(expect.any(Number));
  await ask('burn', 20);
  expect(await told('denials')).toHaveLength(2);
});

test('denials that come slowly, or because of a pause, are no burst', async () => {
  const before = await told('denials');
  for (let time = 0; time < 25; time += 1) {
    await ask('burn');
    await desk().clock.advance(MINUTE / 10);
  }
  await desk().call('system.pause', {});
  expect(await ask('mint', 25)).toBe('SPONSORSHIP_PAUSED');
  await desk().call('system.resume', {});
  expect(await told('denials')).toEqual(before);
});

test('a webhook that fails three times in a row is reported once, and is back with its next verdict', async () => {
  let answer: (call: ReceivedCall, response: ServerResponse) => void = verify;
  const fail: typeof answer = (_call, response) => void response.writeHead(500).end();
  const receiver = await startReceiver((call, response) => answer(call, response));
  await desk().call('webhooks.create', { paymasterId: subject, webhookUrl: receiver.url, requestType: 'POST' });
  // A failure now and then is none.
  for (let time = 0; time < 3; time += 1) {
    answer = fail;
    expect(await ask('mint', 2)).toBe('WEBHOOK_STATUS');
    answer = verify;
    expect(await ask('mint')).toBe('SPONSORED');
  }
  expect(await told('webhook')).toEqual([]);
  answer = fail;
  await ask('mint', 5);
  const [outage, ...others] = await told('webhook');
  expect(others).toEqual([]);
  expect(outage).toMatchObject({
    title: expect.stringMatching(/^A webhook of DApp \d+ fails$/),
    body: expect.stringContaining('It returned no verdict 3 times in a row. The webhook at 127.0.0.1'),
    endedAt: null,
    page: `/dapps/${subject}/webhooks`,
  });
  answer = verify;
  await ask('mint');
  await expect.poll(async () => (await told('webhook'))[0]?.endedAt).toBe(desk().clock.now());
});

test('a pause is reported when it starts and when it ends, that of a DApp next to that of all', async () => {
  const before = (await told('paused')).length;
  await desk().call('system.pause', { reason: 'Upgrading' });
  await desk().call('system.pause', { reason: 'Upgrading still' });
  await desk().call('paymasters.pause', { paymasterId: subject });
  await expect.poll(() => told('paused')).toHaveLength(before + 2);
  const [ofDapp, ofAll] = await told('paused');
  expect(ofAll).toMatchObject({ title: 'All sponsorship is paused', body: 'Upgrading', endedAt: null });
  expect(ofDapp).toMatchObject({
    title: expect.stringMatching(/^Sponsorship for DApp \d+ is paused$/),
    body: 'Gasdesk signs nothing for this DApp until sponsorship is resumed.',
  });
  await desk().call('system.resume', {});
  await expect.poll(async () => (await told('paused'))[1]?.endedAt).toBe(desk().clock.now());
  expect((await told('paused'))[0]?.endedAt).toBeNull();
  await desk().call('paymasters.resume', { paymasterId: subject });
  await expect.poll(async () => (await told('paused'))[0]?.endedAt).toBe(desk().clock.now());
  expect(await told('paused')).toHaveLength(before + 2);
});
