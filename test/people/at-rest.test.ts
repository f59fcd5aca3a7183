import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/api/index.ts';
import { exportedDecisions } from '../../src/api/decision-export.ts';
import { version } from '../../src/engine/base/version.ts';
import { verifyDesk } from '../../src/engine/log/verify-log.ts';
import { replayExport } from '../../src/core/replay/replay-export.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation, sponsorRequest } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { accountOf, backend, encodingsOf, issuerKey, startKeyPage, tokenOf, voucherFor } from '../support/people.ts';

const desk = useOfflineDesk({ logLevel: 'info' });
const blanking = useOfflineDesk({ logLevel: 'info', blankWebhookData: true });
type Desk = typeof desk;

const PERSON = 'ada.lovelace@analytical.example';
const ISSUER = 'https://login.example';
const ENTRY_POINT = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';

const callerOf =
  (of: Desk): Caller =>
  (name, input) =>
    of().call(name, input);

/** A DApp that accepts vouchers and ID tokens, and counts people. */
const withPeople = async (of: Desk, jwksUrl: string): Promise<SponsoredDapp> => {
  const dapp = await of().dapp();
  const { paymasterId } = dapp;
  const rules = [
    { name: 'Vouched', policyData: { source: 'VOUCHER', signer: backend.address } },
    { name: 'Signed in', policyData: { source: 'OIDC', issuer: ISSUER, audience: 'game', jwksUrl } },
  ];
  for (const rule of rules) await of().call('rules.create', { paymasterId, rule: { ...rule, policyType: 'IDENTITY' } });
  await of().limit(dapp, { type: 'SUBJECT', thresholdType: 'COUNT', threshold: 4 });
  return dapp;
};

let nonce = 0;
const op = (changes: object = {}) => {
  nonce += 1;
  return operation(
    { to: `0x${'aa'.repeat(20)}`, data: '0x' },
    { sender: accountOf(1), nonce: `0x${nonce.toString(16)}`, ...changes },
  );
};

/** Everything that the desk has written, by its place. */
const written = async (of: Desk, dapp: SponsoredDapp): Promise<Map<string, Buffer>> => {
  const call = callerOf(of);
  const texts = new Map<string, Buffer>();
  const lines: unknown[] = [];
  for await (const page of exportedDecisions(call, {})) lines.push(page);
  texts.set('export', Buffer.from(JSON.stringify(lines)));
  texts.set('list', Buffer.from(JSON.stringify(await call('decisions.list', { paymasterId: dapp.paymasterId }))));
  texts.set('feed', Buffer.from(JSON.stringify(await call('decisions.follow', { after: 0, wait: false }))));
  texts.set('report', Buffer.from(JSON.stringify(await call('decisions.report', {}))));
  texts.set('usage', Buffer.from(JSON.stringify(await call('rules.usage', { paymasterId: dapp.paymasterId }))));
  texts.set('service log', Buffer.from(JSON.stringify(await call('system.log', {}))));
  texts.set('metrics', Buffer.from(await (await fetch(`${of().engine().url}/metrics`)).arrayBuffer()));
  await call('log.checkpoint', {});
  const { dir } = of();
  for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) texts.set(join(file.parentPath, file.name), readFileSync(join(file.parentPath, file.name)));
  }
  return texts;
};

test.each([
  ['as usual', desk],
  ['with blanked webhook data', blanking],
])('neither a person nor a proof is stored or shown anywhere, %s', async (_, of) => {
  const key = await issuerKey();
  const page = await startKeyPage([key]);
  const dapp = await withPeople(of, page.url);
  const { paymasterId, apiKey } = dapp;
  const now = Math.floor(of().clock.now() / 1000);
  const voucher = await voucherFor({ paymasterId, sender: accountOf(1), subject: PERSON, expiresAt: now + 600 });
  const claims = { iss: ISSUER, aud: 'game', exp: now + 600 };
  const idToken = await tokenOf(key, { ...claims, sub: PERSON });
  const late = await voucherFor({ paymasterId, sender: accountOf(1), subject: PERSON, expiresAt: now - 1 });
  const forged = { ...voucher, signature: `${voucher.signature.slice(0, -2)}1d` };
  const rpc = (method: string, params: unknown[], header = {}) =>
    of()
      .engine()
      .post(`/api/v2/31337/${apiKey}`, { ...sponsorRequest(params), method }, header);
  const stages: unknown[] = [];
  const biconomy = async (options: object, changes: object = {}) =>
    stages.push((await dapp.sponsor(op(changes), options as Record<string, unknown>)).body);
  await biconomy({ voucher });
  await biconomy({ idToken });
  await biconomy({ voucher: late });
  await biconomy({ voucher: forged });
  await biconomy({ idToken: `${idToken}x` });
  await biconomy({ voucher: PERSON });
  await biconomy({ voucher: [PERSON, { nested: PERSON }], idToken: { sub: PERSON } });
  // Refused before it is read, and failed after it was read.
  await biconomy({ voucher, idToken, expiryDuration: PERSON.length });
  await biconomy({ voucher, idToken }, { callGasLimit: undefined });
  stages.push(await rpc('pm_getPaymasterData', [op(), ENTRY_POINT, '0x7a69', { voucher, idToken }]));
  stages.push(await rpc('pm_getPaymasterStubData', [op(), ENTRY_POINT, '0x7a69', { voucher: forged, idToken }]));
  stages.push(await rpc('pm_sponsorUserOperation', [op(), ENTRY_POINT, { voucher, idToken }]));
  stages.push(await rpc('pm_getPaymasterData', [{ ...op(), idToken }, 'nonsense', '0x7a69', { voucher }]));
  stages.push(
    await rpc('alchemy_requestPaymasterAndData', [
      { entryPoint: ENTRY_POINT, userOperation: { ...op(), voucher }, idToken },
    ]),
  );
  // An unknown member is ignored, and kept without what must not be.
  stages.push(await rpc('pm_sponsorUserOperation', [op(), ENTRY_POINT, { extra: { deep: [{ idToken, voucher }] } }]));
  // In the wrong place: next to the webhook data.
  await biconomy({ sponsorshipInfo: { webhookData: { level: 7 }, voucher, smartAccountInfo: { idToken } } });
  const shown = JSON.stringify(stages);

  const [head = '', payload = '', signature = ''] = idToken.split('.');
  const secrets = [PERSON, voucher.signature.slice(2), idToken, payload, signature, late.signature.slice(2), head];
  const everywhere = await written(of, dapp);
  for (const secret of secrets) {
    for (const bytes of encodingsOf(secret)) {
      const places = [...everywhere].filter(([, text]) => text.includes(bytes)).map(([place]) => place);
      expect([secret, bytes.toString(), places]).toEqual([secret, bytes.toString(), []]);
      expect(shown).not.toContain(bytes.toString());
    }
  }

  const call = callerOf(of);
  const codes = (await dapp.decisions()).map(({ code }) => code).toReversed();
  expect(codes.slice(0, 7)).toEqual([
    'SPONSORED',
    'SPONSORED',
    'SUBJECT_EXPIRED',
    'SUBJECT_INVALID',
    'SUBJECT_INVALID',
    'SUBJECT_INVALID',
    'SUBJECT_INVALID',
  ]);
  const replayed = await replayExport(exportedDecisions(call, {}), {
    engine: version,
    withSignatures: true,
    isMeant: () => true,
  });
  expect(replayed.different).toEqual([]);
  expect(await verifyDesk(call, { withSignatures: true })).toMatchObject({ ok: true, faults: [] });
});

test('typing a person finds their decisions, and no others', async () => {
  const key = await issuerKey();
  const page = await startKeyPage([key]);
  const dapp = await withPeople(desk, page.url);
  const { paymasterId } = dapp;
  const now = Math.floor(desk().clock.now() / 1000);
  const send = async (subject: string, account: number) => {
    const sender = accountOf(account);
    const voucher = await voucherFor({ paymasterId, sender, subject, expiresAt: now + 600 });
    await dapp.sponsor(op({ sender }), { voucher });
  };
  await send('Ada 7', 1);
  await send('Grace 7', 2);
  await send('Ada 7', 3);
  const exp = now + 600;
  const idToken = await tokenOf(key, { iss: ISSUER, aud: 'game', exp, sub: 'Ada 7' });
  await dapp.sponsor(op({ sender: accountOf(4) }), { idToken });
  const sendersOf = async (text: string): Promise<string[]> =>
    (await callerOf(desk)('decisions.list', { paymasterId, text })).map(({ sender }) => sender);
  expect(await sendersOf('Ada 7')).toEqual([4, 3, 1].map(accountOf));
  expect(await sendersOf('Grace 7')).toEqual([accountOf(2)]);
  expect(await sendersOf('ada 7')).toEqual([]);
  const [first] = await callerOf(desk)('decisions.list', { paymasterId, text: 'Grace 7' });
  expect(first?.subject).toMatch(/^[0-9a-f]{64}$/);
  expect(await sendersOf(first?.subject?.slice(0, 12) ?? '')).toEqual([accountOf(2)]);
});
