import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { type ReceiverBehaviour, receiverBehaviours } from '../../api/receiver.ts';
import { responseVerdict } from '../../core/webhooks/webhook-response.ts';
import { Secret } from '../base/secret.ts';
import { createNames } from '../network/names.ts';
import { createDeliverer } from './deliver.ts';
import { createReceiver } from './receiver.ts';

const secret = new Secret('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/3pG+YYQ4sI=');

const world = async () => {
  const clock = new ManualClock();
  const receiver = createReceiver(clock);
  const deliverer = createDeliverer({
    clock,
    resolver: createNames({ clock }).resolve,
    allowPrivate: true,
    timeoutMs: () => 3_000,
    maxConcurrent: 4,
  });
  onTestFinished(async () => {
    deliverer.close();
    await receiver.stop();
  });
  await receiver.start();
  const url = receiver.state().url ?? '';
  const call = (more = {}) =>
    deliverer.deliver({ webhookId: 'w', url, method: 'POST', secret, decisionId: 'd', webhookData: { a: 1 }, ...more });
  return { clock, receiver, url, call };
};

const codes: Record<Exclude<ReceiverBehaviour, 'hang'>, string> = {
  verify: 'WEBHOOK_VERIFIED',
  deny: 'WEBHOOK_DENIED',
  oldSpelling: 'WEBHOOK_VERIFIED',
  refuse: 'WEBHOOK_STATUS',
  fail: 'WEBHOOK_STATUS',
  notJson: 'WEBHOOK_NOT_JSON',
  tooLarge: 'WEBHOOK_TOO_LARGE',
  redirect: 'WEBHOOK_REDIRECT',
  disconnect: 'WEBHOOK_UNREACHABLE',
};

test('each error that can be chosen is the error that the desk finds', async () => {
  const { receiver, call } = await world();
  for (const [behaviour, code] of Object.entries(codes)) {
    receiver.behave(behaviour as ReceiverBehaviour);
    expect(responseVerdict(await call()).code, behaviour).toBe(code);
  }
  expect(Object.keys(codes).length + 1).toBe(receiverBehaviours.length);
});

test('a receiver that hangs is given up by the desk, and stops all the same', async () => {
  const { clock, receiver, call } = await world();
  receiver.behave('hang');
  const made = call();
  while (receiver.state().calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(3_000);
  expect(responseVerdict(await made).code).toBe('WEBHOOK_TIMEOUT');
  const hanging = fetch(receiver.state().url ?? '').catch(() => 'broken off');
  while (receiver.state().calls.length === 1) await new Promise((resolve) => setImmediate(resolve));
  await receiver.stop();
  expect(await hanging).toBe('broken off');
});

const signatureOf = (headers: Readonly<Record<string, string>>): [string, string][] =>
  ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, headers[name] ?? '']);

test('signatures are recognised as right, wrong, old or missing, and only by a secret', async () => {
  const { clock, receiver, url, call } = await world();
  const signature = () => receiver.state().calls[0]?.signature;
  await call();
  expect(signature()).toBe('unchecked');
  receiver.checkWith({ webhookId: 'w', secret });
  await call();
  expect(signature()).toBe('valid');
  await call({ method: 'GET' });
  expect(signature()).toBe('valid');
  const { target, headers: ofGet } = receiver.state().calls[0]!;
  const altered = new URL(target.replace('%3A1', '%3A2'), url);
  await fetch(altered, { headers: Object.fromEntries(signatureOf(ofGet)) });
  expect(signature()).toBe('wrong');
  await call({ secret: new Secret(`whsec_${Buffer.alloc(32).toString('base64')}`) });
  expect(signature()).toBe('wrong');
  await fetch(url, { method: 'POST', body: '{}' });
  expect(signature()).toBe('missing');
  await call();
  const { headers, body } = receiver.state().calls[0]!;
  await clock.advance(301_000);
  await fetch(url, { method: 'POST', body, headers: Object.fromEntries(signatureOf(headers)) });
  expect(signature()).toBe('old');
});

test('what reached it is shown as it came, the newest first, and is bounded', async () => {
  const { receiver, url, call } = await world();
  for (let index = 0; index < 25; index += 1) await fetch(`${url}?n=${index}`);
  await call({ preview: true });
  const { calls } = receiver.state();
  expect(calls).toHaveLength(20);
  expect(calls[0]).toMatchObject({ method: 'POST', target: '/', body: '{"data":{"a":1}}', behaviour: 'verify' });
  expect(calls[0]?.headers).toMatchObject({ 'gasdesk-preview': 'true', 'webhook-id': 'd' });
  expect(calls[1]?.target).toBe('/?n=24');
  await fetch(url, { method: 'POST', body: 'x'.repeat(200_000) });
  expect(receiver.state().calls[0]?.body).toHaveLength(65_536);
});

test('it listens on this machine only, and starts again after a stop with nothing left', async () => {
  const { receiver, url, call } = await world();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  await call();
  await receiver.stop();
  expect(receiver.state()).toMatchObject({ url: null, calls: [] });
  await expect(fetch(url)).rejects.toThrow();
  await receiver.start();
  expect(receiver.state().url).toMatch(/^http:/);
});
