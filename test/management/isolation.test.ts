import { expect, test } from 'vitest';
import { type TestDapp, useDesk } from '../support/desk.ts';
import { address, gameAbi, limit, prepare } from './fixtures.ts';

const desk = useDesk();

const read = ({ credentials: headers }: TestDapp, path: string) => desk().manage('GET', path, { headers });
const lists = async (dapp: TestDapp) =>
  Promise.all(['/paymaster', '/webhook', '/smart-contract', '/paymaster-policy'].map((path) => read(dapp, path)));

test('neither another account nor another DApp of the account sees or changes what belongs to a DApp', async () => {
  const owner = await desk().dapp();
  const sibling = await desk().dapp(owner.credentials.authToken);
  const stranger = await desk().dapp();
  const { webhookId, limitId } = await prepare(desk(), owner);
  const before = await lists(owner);
  const rule = '/paymaster-policy';
  const attacks: [method: string, path: string, body: unknown, message: string][] = [
    ['PATCH', '/webhook', { webhookId, active: false }, 'Webhook not found'],
    ['DELETE', '/webhook', { webhookId }, 'Webhook not found'],
    ['PATCH', '/smart-contract', { address: address(7), whitelistedMethods: ['buy'] }, 'Smart contract not found'],
    ['DELETE', '/smart-contract', { address: address(7) }, 'Smart contract not found'],
    ['PATCH', `${rule}/limit/${limitId}`, { threshold: 1000 }, 'Paymaster policy not found'],
    ['PATCH', `${rule}/deactivate/${limitId}`, undefined, 'Paymaster policy not found'],
    ['PATCH', `${rule}/activate/${limitId}`, undefined, 'Paymaster policy not found'],
  ];
  for (const { credentials: headers } of [sibling, stranger]) {
    for (const [method, path, body, message] of attacks) {
      expect(await desk().manage(method, path, { headers, body })).toEqual({ statusCode: 404, message });
    }
    expect((await desk().manage('GET', `/webhook?webhookId=${webhookId}`, { headers })).data).toEqual([]);
  }
  expect(await lists(owner)).toEqual(before);
  for (const path of ['/webhook', '/smart-contract', rule]) {
    for (const other of [sibling, stranger]) expect((await read(other, path)).data).toEqual([]);
  }
  expect((await read(stranger, '/paymaster')).data).toEqual([
    { name: stranger.name, chainId: 31337, apiKey: stranger.credentials.apiKey },
  ]);
});

test('names and addresses that one DApp uses are free for another', async () => {
  const first = await desk().dapp();
  for (const dapp of [first, await desk().dapp(first.credentials.authToken), await desk().dapp()]) {
    const post = (path: string, body: unknown) => desk().manage('POST', path, { headers: dapp.credentials, body });
    expect((await post('/smart-contract', { name: 'Same', address: address(7), abi: gameAbi })).statusCode).toBe(200);
    expect((await post('/paymaster-policy', limit)).statusCode).toBe(200);
  }
});

test('two accounts may each have a DApp of the same name on the same chain', async () => {
  const apiKeys = [await desk().dapp(undefined, { name: 'Same' }), await desk().dapp(undefined, { name: 'Same' })].map(
    ({ credentials }) => credentials.apiKey,
  );
  expect(new Set(apiKeys).size).toBe(2);
});
