import { expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { type TestDapp, useDesk } from '../support/desk.ts';
import { type OperationCase, operationCases, prepare } from './fixtures.ts';

const clock = new ManualClock();
const desk = useDesk({ clock });

const MINUTE = 60_000;
const outOfScope = { statusCode: 403, message: 'The scope of the auth token does not allow this' };
const expired = { statusCode: 401, message: 'The auth token has expired' };

const accountOf = async ({ paymasterId }: TestDapp): Promise<string> =>
  (await desk().service.run('paymasters.list', {})).find((one) => one.paymasterId === paymasterId)!.accountId;

/** Another token of the DApp's account. */
const tokenOf = async (dapp: TestDapp, given: { scope?: 'read' | 'manage' | 'dapp'; expiresAt?: number } = {}) => {
  const whose = given.scope === 'dapp' ? { paymasterId: dapp.paymasterId } : {};
  return desk().service.call('authTokens.create', { accountId: await accountOf(dapp), ...given, ...whose });
};

const ask = ({ method, path, body }: OperationCase, headers: Record<string, string>) =>
  desk().manage(method, path, { headers, ...(body !== undefined && { body }) });

test('a token that may only read is refused whatever changes something, and reads the rest', async () => {
  const dapp = await desk().dapp();
  const operations = operationCases(await prepare(desk(), dapp));
  const { authToken } = await tokenOf(dapp, { scope: 'read' });
  const headers = { ...dapp.credentials, authToken };
  const before = desk().rows();
  for (const operation of operations) {
    const reads = operation.method === 'GET' && !operation.name.includes('funding message');
    const answer = await ask(operation, headers);
    if (reads) expect(answer.statusCode, operation.name).toBe(200);
    else expect(answer, operation.name).toEqual(outOfScope);
  }
  expect(desk().rows()).toEqual(before);
});

test('URLs of webhooks are shown whole to their owner, and to no one who may only read', async () => {
  const dapp = await desk().dapp();
  const { authToken } = await tokenOf(dapp, { scope: 'read' });
  const webhookUrl = 'https://ann:password-1@hooks.example/services/T00AB11CD22?key=query-key-1';
  const hook = { webhookUrl, requestType: 'POST' };
  const rule = { name: 'Ask', policyType: 'WEBHOOK', policyData: { url: webhookUrl } };
  const made = await desk().manage('POST', '/webhook', { headers: dapp.credentials, body: hook });
  expect(made.data).toMatchObject(hook);
  const added = await desk().manage('POST', '/paymaster-policy', { headers: dapp.credentials, body: rule });
  expect(added.data).toMatchObject(rule);
  const { _id } = added.data as { _id: string };
  const paths = ['/webhook', '/paymaster-policy', `/paymaster-policy/${_id}`];
  const shown = async (headers: Record<string, string>) =>
    JSON.stringify(await Promise.all(paths.map((path) => desk().manage('GET', path, { headers }))));
  expect((await shown(dapp.credentials)).split(webhookUrl)).toHaveLength(4);
  const hidden = await shown({ ...dapp.credentials, authToken });
  expect(hidden.split('https://[secret]@hooks.example/services/[secret]?key=[secret]#')).toHaveLength(4);
  for (const secret of ['password-1', 'T00AB11CD22', 'query-key-1']) expect(hidden).not.toContain(secret);
});

test('a token of one DApp manages that DApp, and neither sees another nor makes one', async () => {
  const dapp = await desk().dapp();
  const sibling = await desk().dapp(dapp.credentials.authToken);
  const { authToken } = await tokenOf(dapp, { scope: 'dapp' });
  const headers = { ...dapp.credentials, authToken };
  for (const operation of operationCases(await prepare(desk(), dapp))) {
    const answer = await ask(operation, headers);
    const isOfAccount = operation.name === 'create paymaster' || operation.path.startsWith('/account/');
    if (isOfAccount) expect(answer, operation.name).toEqual(outOfScope);
    else if (operation.name === 'update funding wallet') expect(answer.message).toBe('Invalid signature');
    // What was deleted by an operation before is no longer there.
    else expect([200, 404], operation.name).toContain(answer.statusCode);
  }
  const operationsOfSibling = operationCases(await prepare(desk(), sibling));
  const before = desk().rows();
  for (const operation of operationsOfSibling) {
    if (operation.path === '/paymaster' && operation.method !== 'PATCH') continue;
    const answer = await ask(operation, { ...sibling.credentials, authToken });
    expect(answer, operation.name).toEqual(outOfScope);
  }
  expect(desk().rows().paymaster).toEqual(before.paymaster);
  const { data } = await desk().manage('GET', '/paymaster', { headers: { authToken } });
  expect(data).toEqual([expect.objectContaining({ name: dapp.name })]);
  // A stranger's key is one that no one has.
  const stranger = await desk().dapp();
  expect(await desk().manage('GET', '/webhook', { headers: { ...stranger.credentials, authToken } })).toEqual({
    statusCode: 401,
    message: 'Invalid API key',
  });
});

test('an expired token follows no events', async () => {
  const dapp = await desk().dapp();
  const { authToken } = await tokenOf(dapp, { scope: 'read', expiresAt: clock.now() + MINUTE });
  await clock.advance(MINUTE);
  const { status, body } = await desk().send('GET', '/events', { headers: { authToken } });
  expect({ status, body }).toEqual({ status: 401, body: expired });
});

test('an expired token is refused everywhere, and says so', async () => {
  const dapp = await desk().dapp();
  const operations = operationCases(await prepare(desk(), dapp));
  const { authToken } = await tokenOf(dapp, { expiresAt: clock.now() + MINUTE });
  const headers = { ...dapp.credentials, authToken };
  const list = () => desk().manage('GET', '/paymaster', { headers });
  await clock.advance(MINUTE - 1);
  expect((await list()).statusCode).toBe(200);
  await clock.advance(1);
  for (const operation of operations) expect(await ask(operation, headers), operation.name).toEqual(expired);
});

test('a token is made for all there was before unless it is asked otherwise, and not for nonsense', async () => {
  const dapp = await desk().dapp();
  const accountId = await accountOf(dapp);
  const create = (input: object) => desk().service.call('authTokens.create', { accountId, ...input });
  expect(await create({})).toMatchObject({ scope: 'manage', paymasterId: null, expiresAt: null });
  expect(await create({ paymasterId: dapp.paymasterId })).toMatchObject({ scope: 'dapp' });
  const ofDappsAccount = await desk().service.call('authTokens.create', { paymasterId: dapp.paymasterId });
  expect(ofDappsAccount.accountId).toBe(accountId);
  await expect(create({ scope: 'dapp' })).rejects.toMatchObject({ code: 'VALIDATION' });
  const wider = create({ scope: 'read', paymasterId: dapp.paymasterId });
  await expect(wider).rejects.toMatchObject({ code: 'VALIDATION' });
  await expect(create({ expiresAt: clock.now() })).rejects.toMatchObject({ code: 'VALIDATION' });
  const stranger = await desk().dapp();
  await expect(create({ paymasterId: stranger.paymasterId })).rejects.toMatchObject({ code: 'PAYMASTER_NOT_FOUND' });
});

test('says when a token was last used, to the minute', async () => {
  const dapp = await desk().dapp();
  const { tokenId, authToken } = await tokenOf(dapp);
  const lastUse = async () =>
    (await desk().service.run('authTokens.list', {})).find((one) => one.tokenId === tokenId)?.lastUsedAt;
  const use = () => desk().manage('GET', '/paymaster', { headers: { authToken } });
  expect(await lastUse()).toBeNull();
  const first = clock.now();
  await use();
  await expect.poll(lastUse).toBe(first);
  await clock.advance(MINUTE - 1);
  await use();
  await clock.advance(1);
  await use();
  await expect.poll(lastUse).toBe(first + MINUTE);
});

test('who made a token and what it may do is in the log, and the token is not', async () => {
  const dapp = await desk().dapp();
  const { tokenId, authToken } = await tokenOf(dapp, { scope: 'dapp', expiresAt: clock.now() + MINUTE });
  await desk().manage('GET', '/paymaster', { headers: { authToken } });
  const entries = await desk().service.run('log.list', { limit: 50 });
  const text = JSON.stringify(entries);
  expect(text).toContain(tokenId);
  expect(text).toContain('"scope');
  expect(text).not.toContain(authToken);
});
