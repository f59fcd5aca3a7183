import type { TestDapp, TestDesk } from '../support/desk.ts';

/** A UUID v4. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** An address with this number at its end. */
export const address = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`;

const uint = { name: 'n', type: 'uint256' };

/** ABI of a contract with an overloaded method, a plain one, and what is never sponsored: a view and an event. */
export const gameAbi = JSON.stringify([
  { type: 'function', name: 'mint', stateMutability: 'nonpayable', inputs: [uint], outputs: [] },
  { type: 'function', name: 'mint', stateMutability: 'nonpayable', inputs: [uint, { name: 'to', type: 'address' }] },
  { type: 'function', name: 'buy', stateMutability: 'payable', inputs: [] },
  { type: 'function', name: 'totalSupply', stateMutability: 'view', inputs: [], outputs: [uint] },
  { type: 'event', name: 'Minted', inputs: [], anonymous: false },
]);

/** One operation of the interface with a request that succeeds on a DApp prepared by `prepare`. */
export interface OperationCase {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Answers for a missing authToken, for one that is unknown and for an apiKey that is. */
  readonly errors: { missing: Error; authToken: Error; apiKey?: Error };
}

type Error = readonly [status: number, message: string];

const authTokenRequired: Error = [401, 'Auth token is required in the headers'];
const bothRequired: Error = [401, 'Auth token and API key is required in the headers'];
const user: Error = [404, 'User not found'];
const usual = {
  missing: bothRequired,
  authToken: [401, 'Invalid auth token'],
  apiKey: [401, 'Invalid API key'],
} as const;
const accountOnly = { missing: authTokenRequired, authToken: usual.authToken } as const;
const userErrors = { missing: bothRequired, authToken: user, apiKey: user } as const;
const contractErrors = { ...usual, apiKey: [404, 'Smart contract not found'] } as const;
const webhookErrors = { ...usual, apiKey: [404, 'Webhook not found'] } as const;

/** Ids of what {@link operationCases} act on. */
export interface PreparedDesk {
  readonly paymasterId: string;
  readonly webhookId: string;
  readonly limitId: string;
  /** An API key besides the one that requests are sent with. */
  readonly keyId: string;
  readonly eventWebhookId: string;
  readonly accountEventWebhookId: string;
  readonly channelId: string;
  /** The number of a JSON-RPC request that is kept. */
  readonly requestSeq: number;
}

/** A spending limit as a client sends it. */
export const limit = {
  name: 'Limit',
  policyType: 'PAYMASTER_SA_LIMIT',
  policyData: { type: 'PAYMASTER', cycleDuration: { value: 1, unit: 'day' }, threshold: 5, thresholdType: 'COUNT' },
};

/** Ids of a desk where nothing is prepared, for the names and fields of {@link operationCases}. */
export const nowhere: PreparedDesk = {
  paymasterId: 'p',
  webhookId: 'w',
  limitId: 'l',
  keyId: 'k',
  eventWebhookId: 'e',
  accountEventWebhookId: 'a',
  channelId: 'c',
  requestSeq: 1,
};

const events = { url: 'https://example.com/events', events: ['operation.denied'] };
const alerts = {
  kind: 'mail',
  url: 'smtps://ann:password@mail.example',
  recipient: 'ann@mail.example',
  sender: 'desk@mail.example',
  quiet: { from: '22:00', to: '07:00', zone: 'Europe/Berlin' },
};

const eventWebhookCases = (path: string, webhookId: string, kind: string, errors: OperationCase['errors']) =>
  [
    { name: `create ${kind}`, method: 'POST', path, body: events, errors },
    { name: `list ${kind}s`, method: 'GET', path, errors },
    { name: `update ${kind}`, method: 'PATCH', path, body: { webhookId, active: true }, errors },
    { name: `list deliveries of ${kind}`, method: 'GET', path: `${path}/${webhookId}/deliveries`, errors },
    { name: `redeliver events of ${kind}`, method: 'POST', path: `${path}/${webhookId}/redeliver`, errors },
    { name: `delete ${kind}`, method: 'DELETE', path, body: { webhookId }, errors },
  ] as const;

const alertCases = (channelId: string) => {
  const path = '/account/alert';
  return [
    { name: 'create alert channel', method: 'POST', path, body: alerts, errors: accountOnly },
    { name: 'list alert channels', method: 'GET', path, errors: accountOnly },
    { name: 'update alert channel', method: 'PATCH', path, body: { channelId, active: true }, errors: accountOnly },
    { name: 'test alert channel', method: 'POST', path: `${path}/test`, body: { channelId }, errors: accountOnly },
    { name: 'delete alert channel', method: 'DELETE', path, body: { channelId }, errors: accountOnly },
  ] as const;
};

/** Every operation of the management interface, each with a valid request (behaviour 8.1). */
export const operationCases = (prepared: PreparedDesk): readonly OperationCase[] => {
  const { paymasterId, webhookId, limitId, keyId } = prepared;
  const webhook = '/webhook';
  const contract = '/smart-contract';
  const rule = '/paymaster-policy';
  const funding = { type: 'paymasterFundingId', signature: `0x${'11'.repeat(65)}`, address: address(9) };
  const hook = { webhookUrl: 'https://example.com/new', requestType: 'POST' };
  return [
    { name: 'create webhook', method: 'POST', path: webhook, body: hook, errors: usual },
    { name: 'get webhook', method: 'GET', path: webhook, errors: { ...usual, missing: authTokenRequired } },
    {
      name: 'update webhook',
      method: 'PATCH',
      path: webhook,
      body: { webhookId, active: true },
      errors: webhookErrors,
    },
    { name: 'delete webhook', method: 'DELETE', path: webhook, body: { webhookId }, errors: webhookErrors },
    { name: 'list paymasters', method: 'GET', path: '/paymaster', errors: accountOnly },
    {
      name: 'create paymaster',
      method: 'POST',
      path: '/paymaster',
      body: { name: 'New', type: 'HYBRID', chainId: 31337, version: '1.1.0' },
      errors: accountOnly,
    },
    {
      name: 'update funding wallet',
      method: 'PATCH',
      path: '/paymaster',
      body: { paymasterId, ...funding },
      errors: userErrors,
    },
    { name: 'get funding message', method: 'GET', path: '/funding-message', errors: userErrors },
    { name: 'get funding message by id', method: 'GET', path: `/funding-message/${paymasterId}`, errors: userErrors },
    {
      name: 'create smart contract',
      method: 'POST',
      path: contract,
      body: { name: 'New', address: address(8), abi: gameAbi, whitelistedMethods: ['buy'] },
      errors: usual,
    },
    { name: 'list smart contracts', method: 'GET', path: contract, errors: usual },
    {
      name: 'update smart contract',
      method: 'PATCH',
      path: contract,
      body: { address: address(7), whitelistedMethods: ['mint'] },
      errors: contractErrors,
    },
    {
      name: 'delete smart contract',
      method: 'DELETE',
      path: contract,
      body: { address: address(7) },
      errors: contractErrors,
    },
    { name: 'add spending limit', method: 'POST', path: rule, body: { ...limit, name: 'New limit' }, errors: usual },
    {
      name: 'add webhook rule',
      method: 'POST',
      path: rule,
      body: { name: 'New hook', policyType: 'WEBHOOK', policyData: { url: 'https://example.com/check' } },
      errors: usual,
    },
    {
      name: 'add wallet deployment rule',
      method: 'POST',
      path: rule,
      body: { name: 'New deployment', policyType: 'WALLET_DEPLOYMENT', policyData: {} },
      errors: usual,
    },
    { name: 'list rules', method: 'GET', path: rule, errors: usual },
    {
      name: 'update spending limit',
      method: 'PATCH',
      path: `${rule}/limit/${limitId}`,
      body: { name: 'Other', cycleDuration: { value: 2, unit: 'hour' }, threshold: 7, thresholdType: 'NATIVE_ASSET' },
      errors: usual,
    },
    { name: 'get rule', method: 'GET', path: `${rule}/${limitId}`, errors: usual },
    {
      name: 'update rule',
      method: 'PATCH',
      path: `${rule}/${limitId}`,
      body: { name: 'Tried', enforcement: 'shadow', activeUntil: 2_000_000_000_000 },
      errors: usual,
    },
    { name: 'delete rule', method: 'DELETE', path: `${rule}/${limitId}`, errors: usual },
    { name: 'pause rule', method: 'PATCH', path: `${rule}/deactivate/${limitId}`, errors: usual },
    { name: 'create API key', method: 'POST', path: '/api-key', body: { label: 'Web' }, errors: usual },
    { name: 'list API keys', method: 'GET', path: '/api-key', errors: usual },
    { name: 'revoke API key', method: 'DELETE', path: '/api-key', body: { keyId }, errors: usual },
    { name: 'unpause rule', method: 'PATCH', path: `${rule}/activate/${limitId}`, errors: usual },
    ...eventWebhookCases('/event-webhook', prepared.eventWebhookId, 'event webhook', usual),
    ...eventWebhookCases(
      '/account/event-webhook',
      prepared.accountEventWebhookId,
      'event webhook of the account',
      accountOnly,
    ),
    ...alertCases(prepared.channelId),
    { name: 'list requests', method: 'GET', path: '/rpc-request', errors: usual },
    { name: 'count errors of requests', method: 'GET', path: '/rpc-request/errors', errors: usual },
    { name: 'show request', method: 'GET', path: `/rpc-request/${prepared.requestSeq}`, errors: usual },
  ];
};

/** Gives a DApp and its account what {@link operationCases} act on. */
export const prepare = async (
  desk: TestDesk,
  { paymasterId, credentials: headers }: TestDapp,
): Promise<PreparedDesk> => {
  const post = (path: string, body: unknown) => desk.manage('POST', path, { headers, body });
  const hook = await post('/webhook', { webhookUrl: 'https://example.com/hook', requestType: 'POST' });
  await post('/smart-contract', { name: 'Items', address: address(7), abi: gameAbi });
  const rule = await post('/paymaster-policy', limit);
  const { webhookId } = hook.data as { webhookId: string };
  const { keyId } = (await post('/api-key', {})).data as { keyId: string };
  const ofDapp = (await post('/event-webhook', events)).data as { webhookId: string };
  const ofAccount = (await post('/account/event-webhook', events)).data as { webhookId: string };
  // A test alert reaches no one: nothing listens there.
  const chat = { kind: 'slack', url: 'https://127.0.0.1:9/alerts' };
  const { channelId } = (await post('/account/alert', chat)).data as { channelId: string };
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };
  await desk.send('POST', `/api/v1/${headers.apiKey}`, { body });
  const { data } = await desk.manage('GET', '/rpc-request', { headers });
  return {
    paymasterId,
    webhookId,
    keyId,
    limitId: (rule.data as { _id: string })._id,
    eventWebhookId: ofDapp.webhookId,
    accountEventWebhookId: ofAccount.webhookId,
    channelId,
    requestSeq: (data as { last: number }).last,
  };
};

/** Rows of a table of texts, each with the form in which the name of its test shows it. */
export const named = (texts: readonly string[]): (readonly [shown: string, text: string])[] =>
  texts.map((text) => {
    const quoted = JSON.stringify(text.slice(0, 40));
    return [text.length > 40 ? `${quoted}… (${text.length} characters)` : quoted, text];
  });
