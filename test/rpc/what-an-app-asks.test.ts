import { expect, test } from 'vitest';
import type { SponsoredDapp } from '../support/engine.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, operation } from '../support/operations.ts';

const desk = useOfflineDesk();

const ask = async ({ apiKey }: SponsoredDapp, method: string, ...params: unknown[]) => {
  const { body } = await desk().engine().post(`/api/v1/31337/${apiKey}`, { jsonrpc: '2.0', id: 1, method, params });
  return body as { result?: unknown; error?: { code: number; message: string } };
};
const call = { to: `0x${'11'.repeat(20)}`, data: gameCall('mint') } as const;
const { sender } = operation(call) as { sender: string };
const other = `0x${'ab'.repeat(20)}`;

test('an app can show how many free operations a user has left, and when there are more', async () => {
  const [dapp, stranger] = [await desk().dapp(), await desk().dapp()];
  const limits = async (user: string, of = dapp) => {
    const { result } = await ask(of, 'gasdesk_getAllowance', { sender: user, context: null, unknown: 1 });
    return (result as { limits: Record<string, unknown>[] }).limits;
  };
  expect(await limits(sender)).toEqual([]);
  await desk().limit(dapp, { name: 'Two an hour', type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold: 2 });
  await desk().limit(dapp, { name: 'In all', thresholdType: 'NATIVE_ASSET', threshold: 1, unit: 'lifetime', hours: 1 });
  await desk().limit(dapp, { name: 'Each', type: 'OPERATION', thresholdType: 'NATIVE_ASSET', threshold: 1 });
  const hidden = { policyType: 'PAYMASTER_SA_LIMIT', enforcement: 'shadow', name: 'Shadow' };
  const policyData = {
    type: 'PAYMASTER',
    cycleDuration: { value: 1, unit: 'day' },
    threshold: 1,
    thresholdType: 'COUNT',
  };
  await desk().call('rules.create', { paymasterId: dapp.paymasterId, rule: { ...hidden, policyData } });
  expect(codeOf(await dapp.sponsor(operation(call)))).toBe('SPONSORED');
  const resetsAt = desk().clock.now() + 3_600_000;
  const [count, spent] = await limits(sender);
  expect(count).toEqual({ rule: 'Two an hour', unit: 'operations', limit: '2', used: '1', remaining: '1', resetsAt });
  expect(spent).toMatchObject({ rule: 'In all', unit: 'wei', limit: '1000000000000000000', resetsAt: null });
  expect(BigInt(String(spent?.['used'])) + BigInt(String(spent?.['remaining']))).toBe(10n ** 18n);
  expect(await limits(sender)).toHaveLength(2);
  expect((await limits(sender.toUpperCase().replace('0X', '0x')))[0]).toEqual(count);
  expect((await limits(other))[0]).toMatchObject({ used: '0', remaining: '2' });
  expect(await limits(sender, stranger)).toEqual([]);
  // It asked for nothing that counts.
  expect(await limits(sender)).toEqual([count, spent]);
});

test('an app can show what became of its operation, and of no other', async () => {
  const [dapp, stranger] = [await desk().dapp(), await desk().dapp()];
  expect(codeOf(await dapp.sponsor(operation(call, { nonce: '0x77' })))).toBe('SPONSORED');
  const [{ userOpHash, at } = { userOpHash: null, at: 0 }] = await dapp.decisions();
  const found = { outcome: 'sponsored', code: 'SPONSORED', settlement: 'reserved', at };
  expect((await ask(dapp, 'gasdesk_getSponsorship', userOpHash)).result).toEqual(found);
  expect(
    (await ask(dapp, 'gasdesk_getSponsorship', String(userOpHash).toUpperCase().replace('0X', '0x'))).result,
  ).toEqual(found);
  expect((await ask(stranger, 'gasdesk_getSponsorship', userOpHash)).result).toBeNull();
  expect((await ask(dapp, 'gasdesk_getSponsorship', `0x${'00'.repeat(32)}`)).result).toBeNull();
});

test.each([
  ['gasdesk_getAllowance', [{}], 'params[0].sender must be an EVM address'],
  ['gasdesk_getAllowance', [], 'params[0]'],
  ['gasdesk_getSponsorship', ['0x12'], 'params[0] must be a 32-byte hash'],
])('%s of %j is refused, and the field is named', async (method, params, message) => {
  const { error } = await ask(await desk().dapp(), method, ...params);
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) });
});
