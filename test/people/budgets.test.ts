import { expect, test } from 'vitest';
import type { Address } from '../../src/shared/schema/hex.ts';
import { codeOf, codesOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { accountOf, backend, voucherFor } from '../support/people.ts';

const desk = useOfflineDesk();
const HOUR = 3_600;

const requiringPeople = async (threshold = 3): Promise<SponsoredDapp> => {
  const dapp = await desk().dapp();
  const { paymasterId } = dapp;
  const policyData = { source: 'VOUCHER', signer: backend.address };
  await desk().call('rules.create', { paymasterId, rule: { name: 'People', policyType: 'IDENTITY', policyData } });
  await desk().limit(dapp, { type: 'SUBJECT', thresholdType: 'COUNT', threshold, unit: 'lifetime' });
  return dapp;
};

const ask = async (
  { paymasterId, sponsor }: SponsoredDapp,
  subject: string,
  account: number,
  nonce = 0,
): Promise<RpcReply> => {
  const sender: Address = accountOf(account);
  const expiresAt = Math.floor(desk().clock.now() / 1000) + HOUR;
  const voucher = await voucherFor({ paymasterId, sender, subject, expiresAt });
  const op = operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { sender, nonce: `0x${nonce.toString(16)}` });
  return sponsor(op, { voucher });
};

test('a person has one budget, however many accounts they use', async () => {
  const dapp = await requiringPeople();
  const replies = [];
  for (let account = 0; account < 4; account += 1) replies.push(await ask(dapp, 'ada', account));
  expect(replies.map(codeOf)).toEqual(['SPONSORED', 'SPONSORED', 'SPONSORED', 'LIMIT_REACHED']);
  expect(codeOf(await ask(dapp, 'grace', 0, 1))).toBe('SPONSORED');
});

test('an app can show what is left of the budget of a person, on whichever account, and of no stranger', async () => {
  const dapp = await requiringPeople();
  await ask(dapp, 'ada', 0);
  const { paymasterId, apiKey } = dapp;
  const left = async (subject: string, account: number, signer?: string): Promise<unknown> => {
    const sender = accountOf(account);
    const expiresAt = Math.floor(desk().clock.now() / 1000) + HOUR;
    const voucher = await voucherFor({ paymasterId, sender, subject: signer ?? subject, expiresAt });
    const params = [{ sender, context: { voucher: { ...voucher, subject } } }];
    const request = { jsonrpc: '2.0', id: 1, method: 'gasdesk_getAllowance', params };
    const { body } = await desk().engine().post(`/api/v1/31337/${apiKey}`, request);
    const { limits } = body.result as unknown as { limits: { used: string; remaining: string }[] };
    return limits.map(({ used, remaining }) => [used, remaining]);
  };
  expect(await left('ada', 7)).toEqual([['1', '2']]);
  expect(await left('grace', 0)).toEqual([['0', '3']]);
  expect(await left('ada', 7, 'grace')).toEqual([]);
});

test('1,000 requests at once of 50 people over 1,000 accounts get exactly three each, also after a restart', async () => {
  const dapp = await requiringPeople();
  const all = Array.from({ length: 1_000 }, (_, index) => ask(dapp, `person ${index % 50}`, index));
  expect(codesOf(await Promise.all(all))).toEqual({ SPONSORED: 150, LIMIT_REACHED: 850 });
  await desk().restart();
  const more = Array.from({ length: 50 }, (_, index) => ask(dapp, `person ${index}`, 2_000 + index));
  expect(codesOf(await Promise.all(more))).toEqual({ LIMIT_REACHED: 50 });
});

test('operations whose end is unknown still count for the person', async () => {
  const dapp = await requiringPeople(1);
  expect(codeOf(await ask(dapp, 'ada', 1))).toBe('SPONSORED');
  // Without a node, what has expired may have been mined.
  await desk().clock.sleep(700_000);
  await expect.poll(async () => (await dapp.decisions()).map(({ settlement }) => settlement)).toEqual(['unconfirmed']);
  expect(codeOf(await ask(dapp, 'ada', 2))).toBe('LIMIT_REACHED');
  await desk().restart();
  expect(codeOf(await ask(dapp, 'ada', 3))).toBe('LIMIT_REACHED');
});
