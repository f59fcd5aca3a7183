import { expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { type Envelope, type TestDapp, useDesk } from '../support/desk.ts';

const clock = new ManualClock();
const desk = useDesk({ clock });

interface Key {
  keyId: string;
  apiKey: string;
  label: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

const manage = ({ credentials }: TestDapp, method: string, body?: unknown, apiKey = credentials.apiKey) =>
  desk().manage(method, '/api-key', { headers: { ...credentials, apiKey }, ...(body !== undefined && { body }) });
const keyIn = (answer: Envelope): Key => answer.data as Key;
const keys = async (dapp: TestDapp): Promise<Key[]> => (await manage(dapp, 'GET')).data as Key[];

/** Whether JSON-RPC takes a key: strangers get the status 401. */
const isTaken = async (apiKey: string): Promise<boolean> => {
  const body = { jsonrpc: '2.0', id: 1, method: 'pm_supportedEntryPoints', params: [] };
  return (await desk().send('POST', `/api/v2/31337/${apiKey}`, { body })).status !== 401;
};

test('a key is changed without an outage: the new one works next to the old one, which is then revoked', async () => {
  const dapp = await desk().dapp();
  const { apiKey: old } = dapp.credentials;
  const [first] = await keys(dapp);
  expect(first).toMatchObject({ keyId: dapp.paymasterId, apiKey: old, label: 'first', revokedAt: null });

  await clock.advance(1);
  const second = keyIn(await manage(dapp, 'POST', { label: 'Web' }));
  expect(second).toMatchObject({ label: 'Web', createdAt: clock.now(), lastUsedAt: null, revokedAt: null });
  expect(await keys(dapp)).toMatchObject([{ apiKey: old }, { apiKey: second.apiKey }]);
  expect([await isTaken(old), await isTaken(second.apiKey)]).toEqual([true, true]);
  // The documented list shows one key: the newest.
  const list = await desk().manage('GET', '/paymaster', { headers: dapp.credentials });
  expect(list.data).toEqual([{ name: dapp.name, chainId: 31337, apiKey: second.apiKey }]);

  const revoked = await manage(dapp, 'DELETE', { keyId: first!.keyId }, second.apiKey);
  expect(revoked).toEqual({ statusCode: 200, message: 'API key revoked' });
  expect([await isTaken(old), await isTaken(second.apiKey)]).toEqual([false, true]);
  expect(await manage(dapp, 'GET')).toEqual({ statusCode: 401, message: 'Invalid API key' });
});

test('a DApp keeps its last key, and no key of another DApp is revoked with its own', async () => {
  const dapp = await desk().dapp();
  const sibling = await desk().dapp(dapp.credentials.authToken);
  const last = await manage(dapp, 'DELETE', { keyId: dapp.paymasterId });
  expect(last.statusCode).toBe(400);
  expect(last.message).toContain('only API key');
  await manage(sibling, 'POST', {});
  for (const keyId of [sibling.paymasterId, 'nothing']) {
    const answer = await manage(dapp, 'DELETE', { keyId });
    expect(answer).toEqual({ statusCode: 404, message: 'API key not found' });
  }
  expect([await isTaken(dapp.credentials.apiKey), await isTaken(sibling.credentials.apiKey)]).toEqual([true, true]);
});

test('replacing the key refuses all the old ones at once', async () => {
  const dapp = await desk().dapp();
  const second = keyIn(await manage(dapp, 'POST', {}));
  const { apiKey } = await desk().service.run('paymasters.replaceKey', { paymasterId: dapp.paymasterId });
  const taken = await Promise.all([dapp.credentials.apiKey, second.apiKey, apiKey].map(isTaken));
  expect(taken).toEqual([false, false, true]);
});

test('says when a key was last used, to the minute', async () => {
  const dapp = await desk().dapp();
  const { keyId, apiKey } = keyIn(await manage(dapp, 'POST', {}));
  const lastUse = async () => (await keys(dapp)).find((key) => key.keyId === keyId)?.lastUsedAt;
  expect(await lastUse()).toBeNull();
  const first = clock.now();
  await isTaken(apiKey);
  await expect.poll(lastUse).toBe(first);
  await clock.advance(59_999);
  await isTaken(apiKey);
  await clock.advance(1);
  await isTaken(apiKey);
  await expect.poll(lastUse).toBe(first + 60_000);
});

test('what was done to keys is in the log, and the keys are not', async () => {
  const dapp = await desk().dapp();
  const { keyId, apiKey } = keyIn(await manage(dapp, 'POST', { label: 'Web' }));
  await manage(dapp, 'DELETE', { keyId: dapp.paymasterId }, apiKey);
  const entries = await desk().service.run('log.list', { limit: 50 });
  const text = JSON.stringify(entries);
  expect(text).toContain(keyId);
  for (const secret of [apiKey, dapp.credentials.apiKey]) expect(text).not.toContain(secret);
});
