import { describe, expect, test } from 'vitest';
import { Secret } from '../base/secret.ts';
import { outgoingRequest, type WebhookRequest } from './request.ts';

const NOW = Date.UTC(2026, 0, 1);
const secret = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);

const outgoing = (call: Partial<WebhookRequest>) =>
  outgoingRequest(
    { webhookId: 'w', url: 'https://hooks.example/check', method: 'POST', secret, decisionId: 'd', ...call },
    NOW,
  );

describe('a POST', () => {
  test('carries the webhook data as the receiver of Biconomy knows it', () => {
    const { method, body, headers } = outgoing({ webhookData: { user: 'é', n: 1.5, deep: { list: [null] } } });
    expect(method).toBe('POST');
    expect(body).toBe('{"data":{"user":"é","n":1.5,"deep":{"list":[null]}}}');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '53' });
  });

  test.each([undefined, null, {}])(
    'carries an empty object where the request has no webhook data (%s)',
    (webhookData) => {
      expect(outgoing({ webhookData }).body).toBe('{"data":{}}');
    },
  );

  test('of a rule carries the operation, quantities exactly and in hex', () => {
    const userOp = { sender: '0xab', nonce: 2n ** 255n + 1n, callGasLimit: 0n, callData: '0x', factory: undefined };
    expect(JSON.parse(outgoing({ webhookData: { a: 1 }, userOp }).body)).toEqual({
      data: { a: 1 },
      userOp: { sender: '0xab', nonce: `0x8${'0'.repeat(62)}1`, callGasLimit: '0x0', callData: '0x' },
    });
  });
});

describe('a GET', () => {
  const query = (webhookData: WebhookRequest['webhookData'], url = 'https://hooks.example/check') =>
    outgoing({ method: 'GET', url, webhookData }).url;

  test('carries the webhook data in its query, and nothing in its body', () => {
    const data = { text: 'a&b=c#d é\u0000', n: 1 };
    const { url, body, headers } = outgoing({ method: 'GET', webhookData: data });
    expect([...url.searchParams]).toEqual([['data', JSON.stringify(data)]]);
    expect(body).toBe('');
    expect(headers).not.toHaveProperty('content-type');
  });

  test('carries the scalar members of params as query parameters too', () => {
    const params = { s: 'x y', n: 7, t: true, f: false, none: null, o: {}, l: [1], 'a=&': '&' };
    const { searchParams } = query({ params });
    expect(Object.fromEntries(searchParams)).toEqual({
      data: JSON.stringify({ params }),
      s: 'x y',
      n: '7',
      t: 'true',
      f: 'false',
      'a=&': '&',
    });
  });

  test.each([[['a']], ['text'], [5], [null]])('has no further parameters where params is no object: %s', (params) => {
    expect([...query({ params }).searchParams.keys()]).toEqual(['data']);
  });

  test("leaves the operator's query as it was written", () => {
    expect(query({}, 'https://hooks.example/check?flag&q=a%20b').search).toBe('?flag&q=a%20b&data=%7B%7D');
  });

  test("lets no user of the DApp override the operator's parameters or the data", () => {
    const { searchParams } = query(
      { params: { token: 'forged', data: 'forged', more: 1 } },
      'https://h/?token=real&data=1',
    );
    expect(searchParams.getAll('token')).toEqual(['real']);
    expect(searchParams.getAll('data')).toEqual([
      JSON.stringify({ params: { token: 'forged', data: 'forged', more: 1 } }),
    ]);
    expect(searchParams.get('more')).toBe('1');
  });
});

test('user info of the URL is sent as Basic authorization, and in the URL no more', () => {
  const { url, headers } = outgoing({ url: 'https://desk:p%40ss:w%zz@hooks.example/check#part' });
  expect(url.href).toBe('https://hooks.example/check');
  expect(headers['authorization']).toBe(`Basic ${Buffer.from('desk:p%40ss%3Aw%zz').toString('base64')}`);
  const decoded = outgoing({ url: 'https://desk:p%40ss@hooks.example/' }).headers['authorization'];
  expect(decoded).toBe(`Basic ${Buffer.from('desk:p@ss').toString('base64')}`);
});

describe('the record of a call', () => {
  test.each<[string, Partial<WebhookRequest>, string]>([
    ['without a query', { url: 'https://h/check' }, 'https://h/check'],
    [
      'of a POST',
      { url: 'https://h/check?token=s3cret&k=a=s3cret&empty=' },
      'https://h/check?token=[secret]&k=[secret]&empty=[secret]',
    ],
    ['of a key without a name', { url: 'https://s3cret:s3cret@h/?s3cret#s3cret' }, 'https://h/?[secret]'],
    [
      'of a GET, with what the data added',
      { method: 'GET', url: 'https://h/?token=s3cret&data=s3cret', webhookData: { params: { token: 'x', user: 'u' } } },
      `https://h/?token=[secret]&data=${new URLSearchParams({ data: '{"params":{"token":"x","user":"u"}}' }).toString().slice(5)}&user=u`,
    ],
  ])("does not hold the operator's keys: %s", (_what, call, shown) => {
    expect(outgoing(call).shownUrl).toBe(shown);
  });
});

test('only a dry run is marked as one', () => {
  expect(outgoing({ preview: true }).headers['gasdesk-preview']).toBe('true');
  expect(outgoing({ preview: false }).headers).not.toHaveProperty('gasdesk-preview');
  expect(outgoing({}).headers).not.toHaveProperty('gasdesk-preview');
});

test('compression is not asked for', () => {
  expect(outgoing({}).headers).not.toHaveProperty('accept-encoding');
});
