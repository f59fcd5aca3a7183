import { beforeAll, describe, expect, test } from 'vitest';
import type { ProcedureInput, ProcedureOutput } from '../../src/api/index.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { gasdesk } from '../support/cli.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';

const desk = useOfflineDesk();
const blanking = useOfflineDesk({ blankWebhookData: true });

type Listed = ProcedureOutput<'requests.list'>;

const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
const list = (input: ProcedureInput<'requests.list'> = {}): Promise<Listed> => desk().call('requests.list', input);
const newest = async (): Promise<Listed['requests'][number]> => (await list({ limit: 1 })).requests[0]!;
const show = (seq: number): Promise<ProcedureOutput<'requests.show'>> => desk().call('requests.show', { seq });
const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(desk().engine().url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

let dapp: SponsoredDapp;
let path: string;
beforeAll(async () => {
  dapp = await desk().dapp();
  path = `/api/v1/31337/${dapp.apiKey}`;
});

test('a sponsored request is kept with its decision and its bodies', async () => {
  const { body } = await dapp.sponsor(op);
  const row = await newest();
  expect(row).toMatchObject({
    at: desk().clock.now(),
    chainId: 31337,
    paymasterId: dapp.paymasterId,
    method: 'pm_sponsorUserOperation',
    status: 200,
    outcome: 'sponsored',
    code: null,
    rpcCode: null,
    message: null,
    decisionId: (await dapp.decisions())[0]?.id,
  });
  const { request, answer } = await show(row.seq);
  expect(JSON.parse(request!)).toMatchObject({
    method: 'pm_sponsorUserOperation',
    params: [op, { mode: 'SPONSORED' }],
  });
  expect(JSON.parse(answer!)).toEqual(body);
});

test('a denial says which rule denied, in every dialect, and is counted', async () => {
  const denied = await desk().dapp();
  const { paymasterId } = denied;
  const policyData = { type: 'OPERATION', threshold: 0.000000000000000001, thresholdType: 'NATIVE_ASSET' };
  const rule = { name: 'One wei', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  await desk().call('rules.create', { paymasterId, rule });
  await denied.sponsor(op);
  const row = { outcome: 'denied', code: 'LIMIT_TOO_SMALL' };
  expect(await newest()).toMatchObject({ ...row, rpcCode: null, decisionId: (await denied.decisions())[0]?.id });
  const params = [op, '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789', '0x7a69'];
  const request = { jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterData', params };
  await post(`/api/v1/31337/${denied.apiKey}`, JSON.stringify(request));
  expect(await newest()).toMatchObject({ ...row, rpcCode: -32050, decisionId: (await denied.decisions())[0]?.id });
  const now = desk().clock.now();
  expect(await desk().call('requests.errors', { paymasterId })).toEqual([
    { code: 'LIMIT_TOO_SMALL', message: expect.any(String), count: 2, dapps: 1, since: now, last: now },
  ]);
});

describe('requests that never become decisions are kept, too', () => {
  test.each<[string, () => Promise<Response>, object]>([
    [
      'text that is not JSON',
      () => post(path, '{"method": '),
      { method: null, outcome: 'error', code: 'PARSE_ERROR', rpcCode: -32700, status: 400 },
    ],
    [
      'JSON that is not a request',
      () => post(path, '{"jsonrpc":"2.0","id":3}'),
      { method: null, outcome: 'error', code: 'INVALID_REQUEST', status: 400 },
    ],
    [
      'an unknown method',
      () => post(path, '{"jsonrpc":"2.0","id":3,"method":"pm_nothing","params":[]}'),
      { method: 'pm_nothing', outcome: 'error', code: 'METHOD_NOT_FOUND' },
    ],
    [
      'a body that is too large',
      () => post(path, `"${'x'.repeat(2_000_000)}"`),
      { method: null, outcome: 'error', code: 'BODY_TOO_LARGE', status: 413 },
    ],
    [
      'an origin that may not use the key',
      async () => {
        const { paymasterId } = dapp;
        await desk().call('paymasters.setOrigins', { paymasterId, origins: ['https://game.example'] });
        return post(path, '{"jsonrpc":"2.0","id":3,"method":"eth_chainId","params":[]}', {
          origin: 'https://evil.example',
        });
      },
      { method: null, outcome: 'error', code: 'FORBIDDEN_ORIGIN', status: 403 },
    ],
  ])('%s', async (_what, ask, row) => {
    const { status } = await ask();
    expect(await newest()).toMatchObject({ paymasterId: dapp.paymasterId, status, ...row });
  });

  test('an unknown API key, of which nothing but the method is kept', async () => {
    const key = 'Zm9vYmFyYg.6f1e6a35-6d4e-4a9e-9c4e-111111111111';
    await post(
      `/api/v1/31337/${key}`,
      '{"jsonrpc":"2.0","id":1,"method":"pm_sponsorUserOperation","params":["typed"]}',
    );
    const row = await newest();
    expect(row).toMatchObject({
      paymasterId: null,
      method: 'pm_sponsorUserOperation',
      outcome: 'error',
      code: 'UNKNOWN_API_KEY',
      rpcCode: -32051,
      status: 401,
    });
    expect(await show(row.seq)).toMatchObject({ request: null });
    const causes = await desk().call<ProcedureOutput<'requests.errors'>>('requests.errors', {});
    expect(causes.find(({ code }) => code === 'UNKNOWN_API_KEY')).toMatchObject({ dapps: 0 });
    expect(JSON.stringify([await list({ limit: 250 }), await show(row.seq), causes])).not.toContain(key.slice(12));
  });
});

test('each request of a batch is kept', async () => {
  const { last } = await list();
  const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };
  await post(path, JSON.stringify([chainId, { ...chainId, id: 2, method: 'pm_nothing' }]));
  const { requests } = await list({ after: last });
  expect(requests.map(({ method, outcome, status }) => [method, outcome, status])).toEqual([
    ['pm_nothing', 'error', 200],
    ['eth_chainId', 'answered', 200],
  ]);
});

test('neither secrets nor proofs of identity are kept, wherever they are', async () => {
  const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl';
  const secrets = { idToken: token, voucher: { subject: 'ann@mail.example', signature: '0x12' }, apiKey: dapp.apiKey };
  const texts = { note: `Bearer abcdefg and ${token} and gd_${'a'.repeat(43)}`, passphrase: 'correct horse' };
  const params = [
    op,
    { mode: 'SPONSORED', sponsorshipInfo: { webhookData: { ...secrets, ...texts } }, context: secrets },
  ];
  await post(path, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params }));
  const { seq } = await newest();
  const { request } = await show(seq);
  for (const secret of [token, 'ann@', dapp.apiKey, 'abcdefg', 'gd_a', 'correct horse'])
    expect(request).not.toContain(secret);
  expect(request).toContain('[secret]');
});

test('with blankWebhookData, no body and no message is kept', async () => {
  const blanked = await blanking().dapp();
  await blanked.sponsor({ ...op, callData: '0x' });
  const { requests } = await blanking().call<Listed>('requests.list', {});
  const { seq, method } = requests[0]!;
  expect(method).toBe('pm_sponsorUserOperation');
  expect(await blanking().call('requests.show', { seq })).toMatchObject({ request: null, answer: null, message: null });
});

test('a DApp sees only its own requests', async () => {
  const other = await desk().dapp();
  await other.sponsor(op);
  const { seq } = await newest();
  const { paymasterId } = dapp;
  expect((await list({ paymasterId, limit: 250 })).requests.every((row) => row.paymasterId === paymasterId)).toBe(true);
  await expect(desk().call('requests.show', { paymasterId, seq })).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
  const own = await desk().call<ProcedureOutput<'requests.errors'>>('requests.errors', {
    paymasterId: other.paymasterId,
  });
  expect(own).toEqual([]);
});

test('a flood of refused requests does not displace those of DApps', async () => {
  await dapp.sponsor(op);
  const { seq } = await newest();
  const stranger = (): Promise<Response> =>
    post('/api/v1/31337/nobody', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}');
  for (let sent = 0; sent < 60; sent += 1) await stranger();
  const { requests } = await list({ limit: 250 });
  expect(requests.filter(({ paymasterId }) => paymasterId === null)).toHaveLength(50);
  expect(await show(seq)).toMatchObject({ method: 'pm_sponsorUserOperation' });
});

test('after a restart, no request is kept, and numbers begin again', async () => {
  for (let times = 0; times < 2; times += 1) await dapp.sponsor(op);
  const { last } = await list();
  await desk().restart();
  await dapp.sponsor(op);
  expect(await list({ after: last })).toMatchObject({ last: 1, requests: [{ seq: 1 }] });
});

test('the command line lists, shows and counts them', async () => {
  await post(path, '{"jsonrpc":"2.0","id":3,"method":"pm_nothing","params":["\\u009b31m"]}');
  const { seq } = await newest();
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await gasdesk(['requests', ...args, '--data', desk().dir]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  expect(await run('list', '--limit', '1')).toMatch(/pm_nothing +error +\d+ +METHOD_NOT_FOUND/);
  const shown = await run('show', String(seq));
  expect(shown).toMatch(/\nRequest\n\{\n {2}"jsonrpc": "2\.0",\n[^]*\nAnswer\n\{\n/);
  // It cannot control the terminal.
  expect(shown).not.toContain('\u009b');
  expect(await run('errors', '--dapp', dapp.paymasterId)).toContain('METHOD_NOT_FOUND');
});
