import { beforeAll, describe, expect, test } from 'vitest';
import { ruleTypes } from '../../src/core/decision/rule-words.ts';
import { type TestDapp, useDesk } from '../support/desk.ts';
import { type PreparedDesk, address, gameAbi, limit, prepare } from './fixtures.ts';

const desk = useDesk();
let dapp: TestDapp;
let ids: PreparedDesk;
beforeAll(async () => {
  dapp = await desk().dapp();
  ids = await prepare(desk(), dapp);
});

const rule = '/paymaster-policy';
const RULE_TYPES = ruleTypes.map(({ setup }) => setup.policyType).join(', ');
const paymaster = { name: 'New', type: 'HYBRID', chainId: 31337, version: '1.1.0' };
const hook = { webhookUrl: 'https://example.com/', requestType: 'POST' };
const contract = { name: 'New', address: address(20), abi: gameAbi };
const limitWith = (data: object) => ({ ...limit, name: 'New', policyData: { ...limit.policyData, ...data } });
const holdingWith = (data: object) => ({
  name: 'New',
  policyType: 'TOKEN_HOLDING',
  policyData: { standard: 'ERC20', address: address(20), minimum: '1', ...data },
});
const WHOLE = 'must be a whole number of up to 256 bits, as a string of decimal digits';
const nobody = '0f9d1b1e-0000-4000-8000-000000000000';

const refuse = async (method: string, path: string, body: unknown, status: number, message: string) => {
  const before = desk().rows();
  const filled = path.replace('{limit}', ids.limitId);
  const answer = await desk().manage(method, filled, { headers: dapp.credentials, body });
  expect([answer.statusCode, answer.message]).toEqual([status, message]);
  expect(desk().rows()).toEqual(before);
  return answer;
};

describe('what behaviour 8.2 and behaviour 8.3 answer, to the letter', () => {
  const cases: [method: string, path: string, body: unknown, status: number, message: string][] = [
    ['PATCH', '/webhook', { webhookId: nobody, active: 'true' }, 400, 'active must be a boolean value'],
    ['PATCH', '/webhook', { webhookId: nobody }, 400, 'active must be a boolean value'],
    ['PATCH', '/webhook', { webhookId: nobody, active: true }, 404, 'Webhook not found'],
    ['PATCH', '/webhook', { webhookId: '', active: true }, 404, 'Webhook not found'],
    ['DELETE', '/webhook', { webhookId: 7 }, 400, 'webhookId must be a string'],
    ['DELETE', '/webhook', {}, 400, 'webhookId must be a string'],
    ['DELETE', '/webhook', { webhookId: nobody }, 404, 'Webhook not found'],
    ['POST', '/webhook', { ...hook, requestType: 'PUT' }, 400, 'requestType must be one of: GET, POST'],
    ['POST', '/webhook', { ...hook, requestType: 'post' }, 400, 'requestType must be one of: GET, POST'],
    ['POST', '/webhook', { requestType: 'POST' }, 400, 'webhookUrl must be an http or https URL'],
    ['POST', '/webhook', { ...hook, webhookUrl: 'example.com' }, 400, 'webhookUrl must be an http or https URL'],
    ['POST', '/webhook', { ...hook, webhookUrl: 'ftp://example.com' }, 400, 'webhookUrl must be an http or https URL'],
    ['GET', '/webhook', { webhookUrl: 7 }, 400, 'webhookUrl must be a string'],
    ['GET', '/webhook?webhookId=a&webhookId=b', undefined, 400, 'webhookId must be a string'],

    ['POST', '/paymaster', { ...paymaster, name: undefined }, 400, 'name must be a string'],
    ['POST', '/paymaster', { ...paymaster, name: '' }, 400, 'name should not be empty'],
    ['POST', '/paymaster', { ...paymaster, type: 'SINGLE' }, 400, 'type must be HYBRID'],
    ['POST', '/paymaster', { ...paymaster, chainId: '1' }, 400, 'chainId must be a number'],
    ['POST', '/paymaster', { ...paymaster, chainId: 1.5 }, 400, 'chainId must be a number'],
    ['POST', '/paymaster', { ...paymaster, chainId: 999_999 }, 400, 'Chain ID not supported'],
    ['POST', '/paymaster', { ...paymaster, chainId: -1 }, 400, 'Chain ID not supported'],
    ['POST', '/paymaster', { ...paymaster, chainId: 0 }, 400, 'Chain ID not supported'],
    ['POST', '/paymaster', { ...paymaster, version: 110 }, 400, 'version must be a string'],
    ['POST', '/paymaster', { ...paymaster, version: '9.9.9' }, 400, 'Paymaster version not supported'],
    ['POST', '/paymaster', { ...paymaster, version: 'constructor' }, 400, 'Paymaster version not supported'],
    ['POST', '/paymaster', { ...paymaster, apiKey: 'mine' }, 400, 'apiKey should not exist'],

    ['POST', '/smart-contract', { ...contract, address: address(7) }, 400, 'Smart contract address already exists'],
    ['POST', '/smart-contract', { ...contract, name: 'Items' }, 400, 'Smart contract name already exists'],
    ['POST', '/smart-contract', { ...contract, address: '0x12' }, 400, 'address must be an EVM address'],
    ['POST', '/smart-contract', { ...contract, abi: [] }, 400, 'abi must be a JSON ABI string'],
    ['POST', '/smart-contract', { ...contract, abi: 'no' }, 400, 'abi must be a JSON ABI string'],
    ['POST', '/smart-contract', { ...contract, abi: '{}' }, 400, 'abi must be a JSON ABI string'],
    ['POST', '/smart-contract', { ...contract, whitelistedMethods: 'buy' }, 400, 'whitelistedMethods must be an array'],
    ['POST', '/smart-contract', { ...contract, whitelistedMethods: null }, 400, 'whitelistedMethods must be an array'],
    [
      'POST',
      '/smart-contract',
      { ...contract, whitelistedMethods: [7] },
      400,
      'whitelistedMethods[0] must be a string',
    ],
    ['POST', '/smart-contract', { ...contract, whitelistedMethods: ['buy', 'sell'] }, 400, 'Unknown method: sell'],
    [
      'POST',
      '/smart-contract',
      { ...contract, whitelistedMethods: ['totalSupply'] },
      400,
      'Unknown method: totalSupply',
    ],
    ['PATCH', '/smart-contract', { address: address(7) }, 400, 'whitelistedMethods must be an array'],
    [
      'PATCH',
      '/smart-contract',
      { address: address(7), whitelistedMethods: {} },
      400,
      'whitelistedMethods must be an array',
    ],
    [
      'PATCH',
      '/smart-contract',
      { address: address(7), whitelistedMethods: ['mint(uint8)'] },
      400,
      'Unknown method: mint(uint8)',
    ],
    ['PATCH', '/smart-contract', { address: address(99), whitelistedMethods: [] }, 404, 'Smart contract not found'],
    ['DELETE', '/smart-contract', { address: address(99) }, 404, 'Smart contract not found'],
    ['DELETE', '/smart-contract', { address: 7 }, 400, 'address must be an EVM address'],

    ['POST', rule, limit, 400, 'Paymaster policy name already exists'],
    ['POST', rule, { ...limit, name: 7 }, 400, 'name must be a string'],
    ['POST', rule, { ...limit, policyType: 'LIMIT' }, 400, `policyType must be one of: ${RULE_TYPES}`],
    ['POST', rule, { ...limit, policyData: 7 }, 400, 'policyData must be an object'],
    [
      'POST',
      rule,
      limitWith({ type: 'ALL' }),
      400,
      'type must be one of: PAYMASTER, SMART_ACCOUNT, SUBJECT, OPERATION',
    ],
    ['POST', rule, limitWith({ cycleDuration: '1 day' }), 400, 'cycleDuration must be an object'],
    [
      'POST',
      rule,
      limitWith({ cycleDuration: { value: 1, unit: 'month' } }),
      400,
      'cycleDuration.unit must be one of: hour, day, week, lifetime',
    ],
    [
      'POST',
      rule,
      limitWith({ cycleDuration: { unit: 'day' } }),
      400,
      'cycleDuration.value must be a positive integer',
    ],
    [
      'POST',
      rule,
      limitWith({ cycleDuration: { value: 2, unit: 'lifetime' } }),
      400,
      'cycleDuration.value must be 1 or left out: a lifetime has no length',
    ],
    ['POST', rule, limitWith({ cycleDuration: undefined }), 400, 'cycleDuration must be given'],
    [
      'POST',
      rule,
      limitWith({ type: 'OPERATION' }),
      400,
      'cycleDuration must be left out: a limit of each operation has no cycle',
    ],
    [
      'POST',
      rule,
      limitWith({ type: 'OPERATION', cycleDuration: undefined }),
      400,
      'thresholdType must be NATIVE_ASSET or USD: a limit of each operation counts none',
    ],
    [
      'POST',
      rule,
      limitWith({ thresholdType: 'USD', threshold: 1e-19 }),
      400,
      'threshold must be a positive number with at most 18 decimals',
    ],
    [
      'PATCH',
      `${rule}/limit/{limit}`,
      { cycleDuration: 'a week' },
      400,
      'cycleDuration must be {value, unit}, a string of that JSON, or a string such as "3 hours", "2 days", "1 week" or "lifetime"',
    ],
    [
      'PATCH',
      `${rule}/limit/{limit}`,
      { thresholdType: 'USD' },
      400,
      'threshold must be given with another thresholdType',
    ],
    [
      'POST',
      rule,
      limitWith({ cycleDuration: { value: 0, unit: 'day' } }),
      400,
      'cycleDuration.value must be a positive integer',
    ],
    [
      'POST',
      rule,
      limitWith({ cycleDuration: { value: 1.5, unit: 'day' } }),
      400,
      'cycleDuration.value must be a positive integer',
    ],
    [
      'POST',
      rule,
      limitWith({ cycleDuration: { value: 367, unit: 'day' } }),
      400,
      'cycleDuration must be at most 366 days',
    ],
    [
      'POST',
      rule,
      limitWith({ cycleDuration: { value: 8785, unit: 'hour' } }),
      400,
      'cycleDuration must be at most 366 days',
    ],
    ['POST', rule, limitWith({ threshold: '5' }), 400, 'threshold must be a positive number'],
    ['POST', rule, limitWith({ threshold: 0 }), 400, 'threshold must be a positive number'],
    ['POST', rule, limitWith({ threshold: -1 }), 400, 'threshold must be a positive number'],
    ['POST', rule, limitWith({ threshold: 1.5 }), 400, 'threshold must be a positive integer'],
    ['POST', rule, limitWith({ thresholdType: 'WEI' }), 400, 'thresholdType must be one of: COUNT, NATIVE_ASSET, USD'],
    ['POST', rule, limitWith({ startTimeInEpoch: 1 }), 400, 'startTimeInEpoch should not exist'],
    ['POST', rule, { name: 'New', policyType: 'WEBHOOK', policyData: {} }, 400, 'url must be an http or https URL'],
    [
      'POST',
      rule,
      { name: 'New', policyType: 'WEBHOOK', policyData: { url: 'javascript:alert(1)' } },
      400,
      'url must be an http or https URL',
    ],
    ['POST', rule, { name: 'New', policyType: 'WALLET_DEPLOYMENT', policyData: { a: 1 } }, 400, 'a should not exist'],
    ['POST', rule, { name: 'New', policyType: 'WALLET_DEPLOYMENT' }, 400, 'policyData must be an object'],
    [
      ...(['POST', rule, holdingWith({ standard: 'ERC404' }), 400] as const),
      'standard must be one of: ERC20, ERC721, ERC1155',
    ],
    ['POST', rule, holdingWith({ address: '0x12' }), 400, 'address must be an EVM address'],
    ['POST', rule, holdingWith({ minimum: undefined }), 400, `minimum ${WHOLE}`],
    ['POST', rule, holdingWith({ minimum: 5 }), 400, `minimum ${WHOLE}`],
    ['POST', rule, holdingWith({ minimum: '1.5' }), 400, `minimum ${WHOLE}`],
    ['POST', rule, holdingWith({ minimum: '-1' }), 400, `minimum ${WHOLE}`],
    ['POST', rule, holdingWith({ minimum: '0x10' }), 400, `minimum ${WHOLE}`],
    ['POST', rule, holdingWith({ minimum: String(2n ** 256n) }), 400, `minimum ${WHOLE}`],
    ['POST', rule, holdingWith({ minimum: '000' }), 400, 'minimum must be at least 1'],
    ['POST', rule, holdingWith({ tokenId: '1' }), 400, 'tokenId should not exist for ERC20'],
    ['POST', rule, holdingWith({ standard: 'ERC1155' }), 400, 'tokenId must be given for ERC1155'],
    ['POST', rule, holdingWith({ standard: 'ERC1155', tokenId: 'one' }), 400, `tokenId ${WHOLE}`],
    [
      ...(['POST', rule, holdingWith({ standard: 'ERC721', tokenId: '0', minimum: '2' }), 400] as const),
      'minimum must be 1 for one NFT of ERC721',
    ],
    ['POST', rule, holdingWith({ symbol: 'GLD' }), 400, 'symbol should not exist'],
    ['PATCH', `${rule}/limit/${nobody}`, {}, 404, 'Paymaster policy not found'],
    ['PATCH', `${rule}/activate/${nobody}`, undefined, 404, 'Paymaster policy not found'],
    ['PATCH', `${rule}/deactivate/${nobody}`, undefined, 404, 'Paymaster policy not found'],
    ['PATCH', `${rule}/limit/{limit}`, { threshold: null }, 400, 'threshold must be a positive number'],
    ['PATCH', `${rule}/limit/{limit}`, { type: 'PAYMASTER' }, 400, 'type should not exist'],
    ['PATCH', `${rule}/limit/{limit}`, { threshold: 1.5 }, 400, 'threshold must be a positive integer'],
    ['PATCH', `${rule}/deactivate/{limit}`, { active: true }, 400, 'active should not exist'],

    ['PATCH', '/paymaster', { type: 'x', signature: '0x', address: address(1) }, 400, 'paymasterId must be a string'],
    [
      'PATCH',
      '/paymaster',
      { paymasterId: 'p', type: 'x', signature: '0x', address: address(1) },
      400,
      'type must be paymasterFundingId',
    ],
    ['GET', `/funding-message/${nobody}`, undefined, 404, 'Paymaster not found'],
  ];
  test.each(cases)('%s %s %j → %i %s', async (...one) => {
    await refuse(...one);
  });
});

const nestedTuples = (levels: number): string =>
  `[{"type":"function","name":"f","inputs":[${'{"type":"tuple","components":['.repeat(levels)}${']}'.repeat(levels)}]}]`;

test.each(
  [
    nestedTuples(500),
    nestedTuples(20_000),
    JSON.stringify([{ type: 'function', name: 'f', inputs: [{ type: `bool${'[]'.repeat(250_000)}` }] }]),
    JSON.stringify([{ type: 'function', name: 'f(uint256)', inputs: [] }]),
    '[{"type":"event","name":"\ud800"}]',
  ].map((abi) => [abi.length, abi] as const),
)('a hostile ABI of %i characters is refused', async (_length, abi) => {
  await refuse('POST', '/smart-contract', { ...contract, abi }, 400, 'abi must be a JSON ABI string');
});

test.each([
  'http://',
  'https://',
  'http:/example.com',
  'http:example.com',
  '//example.com',
  'file:///etc/passwd',
  'https://exa mple.com',
  'https://example.com/a\nb',
  'https://example.com/\u0000',
  'https://example.com/\ud800',
  'https://[::1',
  'https://example.com:99999',
  'https://%zz/',
])('%j is no URL to call', async (url) => {
  const error = 'must be an http or https URL';
  await refuse('POST', '/webhook', { ...hook, webhookUrl: url }, 400, `webhookUrl ${error}`);
  await refuse('POST', rule, { name: 'New', policyType: 'WEBHOOK', policyData: { url } }, 400, `url ${error}`);
});

test('a URL, a name and a list are as long as they may be, and no longer', async () => {
  const url = (length: number) => 'https://example.com/'.padEnd(length, 'a');
  await refuse(
    'POST',
    '/webhook',
    { ...hook, webhookUrl: url(2049) },
    400,
    'webhookUrl must have at most 2048 characters',
  );
  await refuse(
    'POST',
    '/paymaster',
    { ...paymaster, name: 'n'.repeat(101) },
    400,
    'name must have at most 100 characters',
  );
  const whitelistedMethods = Array.from({ length: 1001 }, () => 'buy');
  const many = { address: address(7), whitelistedMethods };
  await refuse('PATCH', '/smart-contract', many, 400, 'whitelistedMethods must have at most 1000 items');

  const { credentials: headers } = await desk().dapp();
  const post = (path: string, body: unknown) => desk().manage('POST', path, { headers, body });
  const accepted = [
    await post('/webhook', { ...hook, webhookUrl: url(2048) }),
    await post('/paymaster', { ...paymaster, name: 'n'.repeat(100) }),
    await post('/smart-contract', { ...contract, whitelistedMethods: whitelistedMethods.slice(1) }),
  ];
  expect(accepted.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
});

test('a name already used on the chain is refused in the whole account; on another chain it is free', async () => {
  const { authToken } = dapp.credentials;
  const create = (chainId: number) =>
    desk().manage('POST', '/paymaster', { headers: { authToken }, body: { ...paymaster, name: 'Twice', chainId } });
  expect((await create(1)).statusCode).toBe(200);
  expect(await create(1)).toEqual({ statusCode: 400, message: 'paymaster_name_exists' });
  expect((await create(10)).statusCode).toBe(200);
});

test('an address is the same contract whatever its letter case', async () => {
  const mixed = '0x52908400098527886E0F7030069857D2E4169EE7';
  const create = (spelled: string, name: string) =>
    desk().manage('POST', '/smart-contract', {
      headers: dapp.credentials,
      body: { ...contract, name, address: spelled },
    });
  expect((await create(mixed, 'Upper')).statusCode).toBe(200);
  expect(await create(mixed.toLowerCase(), 'Lower')).toEqual({
    statusCode: 400,
    message: 'Smart contract address already exists',
  });
});

test('a limit cannot take the name of another rule, nor can another rule be updated as a limit', async () => {
  const other = { name: 'Other', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
  const { data } = await desk().manage('POST', rule, { headers: dapp.credentials, body: other });
  const { _id } = data as { _id: string };
  await refuse('PATCH', `${rule}/limit/{limit}`, { name: 'Other' }, 400, 'Paymaster policy name already exists');
  await refuse('PATCH', `${rule}/limit/${_id}`, { name: 'Third' }, 400, 'Only a spending limit can be updated');
});

test('of two requests that make the same thing at once, one succeeds and the other is a duplicate', async () => {
  const { credentials: headers } = await desk().dapp();
  const requests: [string, object][] = [
    ['/paymaster', paymaster],
    ['/smart-contract', contract],
    [rule, limit],
  ];
  for (const [path, body] of requests) {
    const answers = await Promise.all([1, 2, 3, 4].map(() => desk().manage('POST', path, { headers, body })));
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, 400, 400, 400]);
  }
});

test.each<[method: string, path: string, body: unknown, errors: string[]]>([
  [
    'POST',
    '/paymaster',
    {},
    ['name must be a string', 'type must be HYBRID', 'chainId must be a number', 'version must be a string'],
  ],
  [
    'POST',
    '/webhook',
    { a: 1 },
    ['webhookUrl must be an http or https URL', 'requestType must be one of: GET, POST', 'a should not exist'],
  ],
  [
    'POST',
    '/smart-contract',
    {},
    ['name must be a string', 'address must be an EVM address', 'abi must be a JSON ABI string'],
  ],
  [
    'PATCH',
    '/smart-contract',
    { address: 1, whitelistedMethods: 2 },
    ['address must be an EVM address', 'whitelistedMethods must be an array'],
  ],
  ['PATCH', '/webhook', [], ['body must be an object']],
  ['POST', rule, [], ['body must be an object']],
  [
    'POST',
    rule,
    {},
    ['name must be a string', `policyType must be one of: ${RULE_TYPES}`, 'policyData must be an object'],
  ],
  ['POST', rule, { name: 'a', policyType: 'x', policyData: {} }, [`policyType must be one of: ${RULE_TYPES}`]],
  [
    'POST',
    rule,
    { policyType: 'WEBHOOK', policyData: { url: 1, b: 2 }, c: 3 },
    ['name must be a string', 'url must be an http or https URL', 'b should not exist', 'c should not exist'],
  ],
  [
    'POST',
    rule,
    { ...limit, policyData: {} },
    [
      'type must be one of: PAYMASTER, SMART_ACCOUNT, SUBJECT, OPERATION',
      'threshold must be a positive number',
      'thresholdType must be one of: COUNT, NATIVE_ASSET, USD',
    ],
  ],
])('%s %s %j reports all its errors at once, the first of them as message', async (method, path, body, errors) => {
  const answer = await refuse(method, path, body, 400, errors[0]!);
  expect(answer).toEqual({ statusCode: 400, message: errors[0], errors });
});

test.each([
  ['/paymaster', { ...paymaster, colour: 'x' }, 'The known fields are: name, type, chainId, version, tokenMode'],
  ['/paymaster', { ...paymaster, chainId: 999_999 }, /^The operator adds the chain with "gasdesk chain set"/],
  ['/paymaster', { ...paymaster, version: '9.9.9' }, /^The versions are: 1\.0\.0, 1\.1\.0, .*, parallel-0\.9$/],
  [
    '/smart-contract',
    { ...contract, address: address(21), name: 'Other', whitelistedMethods: ['sell'] },
    /^The ABI's methods that are not view or pure are: .*buy/,
  ],
  [
    rule,
    { name: 'New', policyType: 'WALLET_DEPLOYMENT', policyData: { operator: 'walletDeployment' } },
    'The known fields are: factories',
  ],
])('POST %s with %j: a hint says what would help', async (path, body, hint) => {
  expect(await desk().manage('POST', path, { headers: dapp.credentials, body })).toMatchObject({
    statusCode: 400,
    hint: typeof hint === 'string' ? hint : expect.stringMatching(hint),
  });
});

test.each([
  ['/webhook?webhookid=a', 'webhookid', 'webhookId'],
  ['/webhook?webhook=a', 'webhook', 'webhookId'],
  ['/rpc-request?limt=1&after=0', 'limt', 'limit'],
  ['/event-webhook/{limit}/deliveries?Before=1', 'Before', 'before'],
])('GET %s: a misspelt query parameter is refused, and a hint says which one was meant', async (path, name, meant) => {
  const answer = await refuse('GET', path, undefined, 400, `${name} should not exist`);
  expect(answer).toMatchObject({
    errors: [`${name} should not exist`],
    hint: `Did you mean the query parameter ${meant}?`,
  });
});
