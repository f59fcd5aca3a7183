import { Wallet } from 'ethers';
import { expect, test } from 'vitest';
import { type Credentials, type Envelope, useDesk } from '../support/desk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { UUID, address, gameAbi } from './fixtures.ts';

const clock = new ManualClock();
const desk = useDesk({ clock });

/** Sends a request and returns the whole answer: what a client sees, to the last key. */
const ask = (method: string, path: string, headers: Partial<Credentials>, body?: unknown): Promise<Envelope> =>
  desk().manage(method, path, { headers: headers as Record<string, string>, ...(body !== undefined && { body }) });

const ok = (message: string, data?: unknown) => ({ statusCode: 200, message, ...(data !== undefined && { data }) });

const register = async (name: string): Promise<Credentials> => {
  const authToken = await desk().authToken();
  const body = { name, type: 'HYBRID', chainId: 31337, version: '1.1.0' };
  const { data } = await ask('POST', '/paymaster', { authToken }, body);
  return { authToken, apiKey: (data as { apiKey: string }).apiKey };
};

test('a token is issued once, acts for its account, and its text is nowhere in the data folder', async () => {
  const authToken = await desk().authToken();
  expect(authToken).toMatch(/^gd_[\w-]{43}$/);
  expect(await ask('GET', '/paymaster', { authToken })).toEqual(ok('DApp list fetched', []));
  expect(JSON.stringify(desk().rows())).not.toContain(authToken);
});

test('a DApp is registered and listed with the documented fields and no others', async () => {
  const authToken = await desk().authToken();
  const body = { name: 'Game', type: 'HYBRID', chainId: 137, version: '1.1.0' };
  const created = await ask('POST', '/paymaster', { authToken }, body);
  expect(created).toEqual(
    ok('DApp registered successfully', {
      name: 'Game',
      chainId: 137,
      apiKey: expect.stringMatching(new RegExp(`^[\\w-]{9}\\.${UUID.source.slice(1)}`)),
    }),
  );
  expect(await ask('GET', '/paymaster', { authToken })).toEqual(ok('DApp list fetched', [created.data]));
});

test('the funding wallet is changed in the documented three steps', async () => {
  const headers = await register('Tank');
  const message = await ask('GET', '/funding-message', headers);
  expect(message).toEqual(
    ok('Funding message sent', { paymasterId: expect.stringMatching(UUID), fundingMessage: expect.any(String) }),
  );
  const { paymasterId, fundingMessage } = message.data as { paymasterId: string; fundingMessage: string };
  const wallet = Wallet.createRandom();
  const signature = await wallet.signMessage(fundingMessage);
  const body = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address };
  expect(await ask('PATCH', '/paymaster', headers, body)).toEqual(
    ok('Paymaster updated successfully', { name: 'Tank', chainId: 31337, apiKey: headers.apiKey, paymasterId }),
  );
  const [paymaster] = (await desk().service.run('paymasters.list', {})).filter(({ name }) => name === 'Tank');
  expect(paymaster?.fundingWallet).toBe(wallet.address);
});

test('a smart contract is registered, listed, changed and deleted', async () => {
  const headers = await register('Contracts');
  const contract = { name: 'Game Items', address: address(1), abi: gameAbi };
  const record = { ...contract, whitelistedMethods: [], methods: ['mint(uint256)', 'mint(uint256,address)', 'buy'] };
  const path = '/smart-contract';
  expect(await ask('POST', path, headers, contract)).toEqual(ok('Smart contract registered successfully'));
  expect(await ask('GET', path, headers)).toEqual(ok('Smart contract list fetched', [record]));

  const change = { address: address(1), whitelistedMethods: ['mint', 'buy()'] };
  expect(await ask('PATCH', path, headers, change)).toEqual(ok('Smart contract updated', { ...record, ...change }));
  expect(await ask('GET', path, headers)).toEqual(ok('Smart contract list fetched', [{ ...record, ...change }]));

  expect(await ask('DELETE', path, headers, { address: address(1).toUpperCase().replace('0X', '0x') })).toEqual(
    ok('Smart contract deleted'),
  );
  expect(await ask('GET', path, headers)).toEqual(ok('Smart contract list fetched', []));
});

test('whitelisted methods given at registration are kept as they were given', async () => {
  const headers = await register('Whitelist at once');
  const contract = { name: 'Items', address: address(0xabcdef), abi: gameAbi, whitelistedMethods: ['buy'] };
  await ask('POST', '/smart-contract', headers, contract);
  const { data } = await ask('GET', '/smart-contract', headers);
  expect(data).toEqual([{ ...contract, methods: ['mint(uint256)', 'mint(uint256,address)', 'buy'] }]);
});

test('rules of every type are created and listed, registered contracts among them', async () => {
  const headers = await register('Rules');
  const owner = {
    organisationId: expect.stringMatching(UUID),
    paymasterId: expect.stringMatching(UUID),
    createdBy: expect.stringMatching(UUID),
    chainId: 31337,
  };
  const record = (name: string, policyType: string, policyData: object) => ({
    _id: expect.stringMatching(UUID),
    name,
    policyType,
    ...owner,
    active: true,
    policyData,
  });
  const limit = {
    type: 'SMART_ACCOUNT',
    cycleDuration: { value: 2, unit: 'hour' },
    threshold: 5,
    thresholdType: 'COUNT',
  };
  const times = { startTimeInEpoch: clock.now(), durationInMs: 7_200_000 };
  const created = await Promise.all(
    [
      ['Limit', 'PAYMASTER_SA_LIMIT', limit, { ...limit, ...times }] as const,
      ['Hook', 'WEBHOOK', { url: 'https://example.com/check' }, { url: 'https://example.com/check' }] as const,
      ['Deploy', 'WALLET_DEPLOYMENT', {}, { operator: 'walletDeployment' }] as const,
    ].map(async ([name, policyType, policyData, answered]) => {
      const answer = await ask('POST', '/paymaster-policy', headers, { name, policyType, policyData });
      expect(answer).toEqual(ok('Paymaster Policy created successfully', record(name, policyType, answered)));
      return answer.data;
    }),
  );
  await ask('POST', '/smart-contract', headers, { name: 'Items', address: address(2), abi: gameAbi });
  const list = await ask('GET', '/paymaster-policy', headers);
  const { data } = list as { data: unknown[] };
  const contractData = { address: address(2), whitelistedMethods: [], methods: expect.arrayContaining(['buy']) };
  expect(list.message).toBe('Paymaster Policies found!');
  expect(data).toHaveLength(4);
  expect(data).toEqual(expect.arrayContaining([...created, record('Items', 'WHITELISTED_CONTRACT', contractData)]));
});

test('a rule is paused and unpaused; so is a registered contract', async () => {
  const headers = await register('Pause');
  const rule = { name: 'Deploy', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
  await ask('POST', '/paymaster-policy', headers, rule);
  await ask('POST', '/smart-contract', headers, { name: 'Items', address: address(3), abi: gameAbi });
  const list = async () => (await ask('GET', '/paymaster-policy', headers)).data as { _id: string; active: boolean }[];
  const active = async () => (await list()).map((one) => one.active);
  for (const { _id } of await list()) {
    const path = (verb: string) => `/paymaster-policy/${verb}/${_id}`;
    expect(await ask('PATCH', path('deactivate'), headers)).toEqual(ok('Paymaster Policy Deactivated!'));
    expect((await list()).find((one) => one._id === _id)?.active).toBe(false);
    expect(await ask('PATCH', path('activate'), headers, {})).toEqual(ok('Paymaster Policy Activated!'));
  }
  expect(await active()).toEqual([true, true]);
});

test('a limit is updated; the answer carries no data', async () => {
  const headers = await register('Update');
  const policyData = {
    type: 'PAYMASTER',
    cycleDuration: { value: 1, unit: 'day' },
    threshold: 1,
    thresholdType: 'COUNT',
  };
  const body = { name: 'Limit', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  const { data } = await ask('POST', '/paymaster-policy', headers, body);
  const { _id } = data as { _id: string };
  const update = { name: 'Bigger', cycleDuration: '3 hours', threshold: 9, thresholdType: 'NATIVE_ASSET' };
  expect(await ask('PATCH', `/paymaster-policy/limit/${_id}`, headers, update)).toEqual(ok('Paymaster Limit updated'));
  expect((await ask('GET', '/paymaster-policy', headers)).data).toMatchObject([
    {
      name: 'Bigger',
      policyData: {
        type: 'PAYMASTER',
        threshold: 9,
        thresholdType: 'NATIVE_ASSET',
        cycleDuration: { value: 3, unit: 'hour' },
        durationInMs: 10_800_000,
      },
    },
  ]);
});

test('a webhook is registered, read, switched and deleted', async () => {
  const headers = await register('Webhooks');
  const path = '/webhook';
  const hook = { webhookUrl: 'https://example.com/hook?a=1', requestType: 'GET' };
  const created = await ask('POST', path, headers, hook);
  expect(created).toEqual(ok('Webhook created', { webhookId: expect.stringMatching(UUID), ...hook }));
  const { webhookId } = created.data as { webhookId: string };
  const other = await ask('POST', path, headers, { webhookUrl: 'http://127.0.0.1:1/', requestType: 'POST' });

  const read = (query: string, body?: unknown) => ask('GET', path + query, headers, body);
  const listed = (active: boolean) => ({ ...(created.data as object), active });
  expect(await read('')).toEqual(
    ok('Webhook list fetched', [listed(true), { ...(other.data as object), active: true }]),
  );
  expect(await read(`?webhookId=${webhookId}`)).toEqual(ok('Webhook list fetched', [listed(true)]));
  expect(await read('?webhookId=unknown')).toEqual(ok('Webhook list fetched', []));
  // The source interface demands this body; anyone who sends it is served.
  expect(await read(`?webhookId=${webhookId}`, { webhookUrl: '' })).toEqual(ok('Webhook list fetched', [listed(true)]));

  expect(await ask('PATCH', path, headers, { webhookId, active: false })).toEqual(ok('Webhook updated'));
  expect((await read(`?webhookId=${webhookId}`)).data).toEqual([listed(false)]);
  expect(await ask('DELETE', path, headers, { webhookId })).toEqual(ok('Webhook deleted'));
  expect((await read(`?webhookId=${webhookId}`)).data).toEqual([]);
});

test('what clients differ in does not matter: header case, a doubled slash, fetch or node:http', async () => {
  const { authToken, apiKey } = await register('Clients');
  const path = '/api/v2/public/sdk/paymaster-policy';
  for (const headers of [
    { authToken, apiKey },
    { authtoken: authToken, apikey: apiKey },
    { AUTHTOKEN: authToken, APIKEY: apiKey },
  ]) {
    const response = await fetch(`${desk().url}/${path}`, { headers });
    expect(await response.json()).toEqual(ok('Paymaster Policies found!', []));
    expect(response.headers.get('content-type')).toContain('application/json');
  }
  expect((await desk().send('GET', `//${path.slice(1)}`, { headers: { authToken, apiKey } })).status).toBe(200);
});
