import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/api/index.ts';
import { exportedDecisions } from '../../src/api/decision-export.ts';
import { version } from '../../src/engine/base/version.ts';
import { replayExport } from '../../src/core/replay/replay-export.ts';
import { verifyDesk } from '../../src/engine/log/verify-log.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { type ReceivedCall, startReceiver } from '../support/webhook-receiver.ts';

type Desk = ReturnType<typeof useOfflineDesk>;

/** A desk of its own for each: what one has stored is not to be found in the other's files. */
const blanking = useOfflineDesk({ logLevel: 'info', blankWebhookData: true });
const telling = useOfflineDesk({ logLevel: 'info' });
const callerOf =
  (desk: Desk): Caller =>
  (name, input) =>
    desk().call(name, input);

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

let nonce = 0;
const op = () => {
  nonce += 1;
  return operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce: `0x${nonce.toString(16)}` });
};

/** Personal data contains one of these words. */
const PERSON = 'ada.lovelace@example.com';
const ANSWERED = 'Countess of Lovelace';
const options = { sponsorshipInfo: { webhookData: { user: PERSON, params: { mail: PERSON } } }, note: PERSON };

/** What each webhook answers, in the order of the operations. */
const answers = [
  { body: `{"arePoliciesVerified":true,"name":"${ANSWERED}"}`, code: 'SPONSORED' },
  { body: `{"arePoliciesVerified":false,"name":"${ANSWERED}"}`, code: 'WEBHOOK_DENIED' },
  { body: `{"${ANSWERED}":1,"${ANSWERED}":2}`, code: 'WEBHOOK_DUPLICATE_KEYS' },
  { body: `{"${ANSWERED}":true}`, code: 'WEBHOOK_NO_VERDICT' },
  { body: ANSWERED, code: 'WEBHOOK_NOT_JSON' },
  { body: ANSWERED, status: 500, code: 'WEBHOOK_STATUS' },
  { body: '', status: 302, location: `/?who=${encodeURIComponent(ANSWERED)}`, code: 'WEBHOOK_REDIRECT' },
];

/** A DApp with a webhook of each kind, and what reached them. */
const withWebhooks = async (desk: Desk) => {
  const call = callerOf(desk);
  let asked = 0;
  const answer = (_call: ReceivedCall, response: ServerResponse): void => {
    const { body, status = 200, location } = answers[Math.floor(asked / 3) % answers.length] ?? answers[0]!;
    asked += 1;
    if (location !== undefined) response.setHeader('location', location);
    response.writeHead(status).end(body);
  };
  const { url, calls } = await startReceiver(answer);
  const dapp = await desk().dapp();
  const { paymasterId } = dapp;
  await call('webhooks.create', { paymasterId, webhookUrl: `${url}/post`, requestType: 'POST' });
  await call('webhooks.create', { paymasterId, webhookUrl: `${url}/get?key=k`, requestType: 'GET' });
  const rule = { name: 'asks', policyType: 'WEBHOOK' as const, policyData: { url: `${url}/rule`, failOpen: true } };
  await call('rules.create', { paymasterId, rule });
  return { dapp, calls };
};

/** Has every answer decide an operation. */
const askAll = async (dapp: SponsoredDapp): Promise<void> => {
  for (const { code } of answers) expect(codeOf(await dapp.sponsor(op(), options))).toBe(code);
  // One that is refused unread is stored too.
  await dapp.sponsor({ ...op(), callData: PERSON }, options);
};

/** Where a text stands in the data folder or in what the service reported. */
const placesOf = async (desk: Desk, text: string): Promise<string[]> => {
  const files = readdirSync(desk().dir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const found = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text));
  const log = JSON.stringify((await callerOf(desk)('system.log', {})).lines);
  return log.includes(text) ? [...found, 'service log'] : found;
};

test('with the setting on, nothing personal is stored, and every verdict follows all the same', async () => {
  const call = callerOf(blanking);
  const { dapp, calls } = await withWebhooks(blanking);
  await askAll(dapp);
  expect(calls).toHaveLength(3 * answers.length);
  expect(calls[0]?.body).toContain(PERSON);
  for (const text of [PERSON, encodeURIComponent(PERSON), ANSWERED, encodeURIComponent(ANSWERED), 'Countess']) {
    expect([text, await placesOf(blanking, text)]).toEqual([text, []]);
  }
  const { decisions, same, different } = await replayExport(exportedDecisions(call, {}), {
    engine: version,
    withSignatures: true,
    isMeant: () => true,
  });
  expect({ decisions, same, different }).toEqual({
    decisions: answers.length + 1,
    same: answers.length,
    different: [],
  });
  await call('log.checkpoint', {});
  expect(await verifyDesk(call, { withSignatures: true })).toMatchObject({ ok: true, faults: [] });

  const [first] = (await dapp.decisions()).toReversed();
  const traced = first?.trace.flatMap((step) => step.call ?? []) ?? [];
  for (const { method, request, response } of traced) {
    if (method === 'POST') expect(calls.map(({ body }) => sha256(body))).toContain(request.body);
    expect(response).toBe(sha256(answers[0]?.body ?? ''));
  }
  const { received, options: kept } = first?.request as { received: string; options: { sponsorshipInfo: string } };
  expect(kept.sponsorshipInfo).toBe(sha256(JSON.stringify(options.sponsorshipInfo)));
  expect(received).toMatch(/^sha256:[0-9a-f]{64}$/);
});

test('with the setting off, all of it is stored as it came', async () => {
  const { dapp, calls } = await withWebhooks(telling);
  await askAll(dapp);
  const [first] = (await dapp.decisions()).toReversed();
  const traced = first?.trace.flatMap((step) => step.call ?? []) ?? [];
  expect(calls.map(({ body }) => body)).toEqual(expect.arrayContaining(traced.map(({ request }) => request.body)));
  expect(traced.map(({ response }) => response)).toEqual(Array(3).fill(answers[0]?.body));
  expect(JSON.stringify(first?.request)).toContain(PERSON);
  expect((await placesOf(telling, PERSON)).length).toBeGreaterThan(0);
});
