import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { result, withNode } from '../support/odd-node.ts';
import { operation, sponsorRequest } from '../support/operations.ts';
import { type RpcBody, type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

let dir: string;
let clock: ManualClock;
let engine: ServingEngine | undefined;
beforeEach(() => {
  dir = makeTempFolder();
  clock = new ManualClock();
});
afterEach(async () => {
  await engine?.stop();
  removeTempFolder(dir);
});

const start = async (flags: Record<string, unknown>): Promise<{ engine: ServingEngine; dapp: SponsoredDapp }> => {
  engine = await startEngine({ dir, clock, flags });
  return { engine, dapp: await engine.dapp({}) };
};

const account = (number: number): string => `0x${String(number).padStart(40, 'a')}`;
const op = (sender = account(1)): Record<string, unknown> =>
  operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { sender });
const requestFor = (sender: string, id = 1) => sponsorRequest([op(sender), { mode: 'SPONSORED' }], id);
const pathOf = ({ apiKey }: SponsoredDapp): string => `/api/v1/31337/${apiKey}`;
const decisions = async (): Promise<number> => (await engine!.service.call('system.info', {})).decisions;

/** Of a desk without a contract: the request came through to deciding. */
const DECIDED = 400;

describe('a limit per API key', () => {
  test('lets so many through and says when to come back; then it lets the next in', async () => {
    const { dapp } = await start({ rateLimitPerKey: 4 });
    for (let n = 0; n < 4; n += 1) expect((await dapp.sponsor(op(account(n)))).status).toBe(DECIDED);

    const refused = await dapp.sponsor(op());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
    expect(refused.body).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32029,
        message: 'Too many requests with this API key. Try again in 15 s',
        data: { retryAfterSeconds: 15 },
      },
    });
    expect(await decisions()).toBe(4);

    await clock.advance(15_000);
    expect((await dapp.sponsor(op())).status).toBe(DECIDED);
  });

  test('is of one key and leaves the others alone', async () => {
    const { engine: desk, dapp } = await start({ rateLimitPerKey: 1 });
    const other = await desk.dapp({});
    await dapp.sponsor(op());
    expect([(await dapp.sponsor(op())).status, (await other.sponsor(op())).status]).toEqual([429, DECIDED]);
  });

  test('counts every request of a batch', async () => {
    const { engine: desk, dapp } = await start({ rateLimitPerKey: 3 });
    const batch = [1, 2, 3, 4, 5].map((id) => requestFor(account(id), id));
    const { status, headers, body } = await desk.post(pathOf(dapp), batch);
    const told = (body as unknown as RpcBody[]).map(({ id, error }) => [id, error?.code]);
    expect(told).toEqual([
      [1, -32052],
      [2, -32052],
      [3, -32052],
      [4, -32029],
      [5, -32029],
    ]);
    expect([status, headers.get('retry-after')]).toEqual([200, '20']);
    expect(await decisions()).toBe(3);
    expect((await desk.post(pathOf(dapp), batch)).status).toBe(429);
  });

  test('refuses before it reads what was sent', async () => {
    const { engine: desk, dapp } = await start({ rateLimitPerKey: 1 });
    await dapp.sponsor(op());
    const response = await fetch(desk.url + pathOf(dapp), { method: 'POST', body: 'no JSON at all' });
    expect(response.status).toBe(429);
  });

  test('counts unauthorised requests, too: all unknown keys as one', async () => {
    const { engine: desk, dapp } = await start({ rateLimitPerKey: 1 });
    const statuses = [];
    for (const key of ['nobody', 'somebody', dapp.apiKey])
      statuses.push((await desk.post(`/api/v1/31337/${key}`, requestFor(account(1)))).status);
    expect(statuses).toEqual([401, 429, DECIDED]);
  });
});

describe('a limit of what is passed on to a bundler', () => {
  test('protects the bundler of the operator from a DApp, whose other requests are served', async () => {
    const { engine: desk, dapp } = await start({ rateLimitForwarded: 2 });
    const other = await desk.dapp({});
    const receipt = (by: SponsoredDapp, method = 'eth_getUserOperationReceipt') =>
      desk.post(pathOf(by), { jsonrpc: '2.0', id: 1, method, params: [`0x${'12'.repeat(32)}`] });
    await withNode(result(null), async (bundler) => {
      await desk.service.call('chains.set', { chainId: 31337, bundler, forwardBundler: 'own' });
      expect((await receipt(dapp)).body).toMatchObject({ result: null });
      expect((await receipt(dapp, 'eth_getUserOperationByHash')).body).toMatchObject({ result: null });
      const refused = await receipt(dapp);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
      expect(refused.body.error?.message).toBe(
        'Too many requests for the bundler with this API key. Try again in 30 s',
      );
      expect((await dapp.sponsor(op())).status).toBe(DECIDED);
      expect((await receipt(other)).body).toMatchObject({ result: null });
    });
  });
});

describe('a limit per sender', () => {
  test('applies to one user of a DApp, in any letter case, and to no other', async () => {
    const { engine: desk, dapp } = await start({ rateLimitPerSender: 2 });
    const other = await desk.dapp({});
    await dapp.sponsor(op());
    await dapp.sponsor(op(account(1).toUpperCase().replace('X', 'x')));

    const refused = await dapp.sponsor(op());
    expect([refused.status, refused.headers.get('retry-after'), refused.body.id]).toEqual([429, '30', 1]);
    expect(refused.body.error?.message).toBe(`Too many requests for the sender ${account(1)}. Try again in 30 s`);

    expect((await dapp.sponsor(op(account(2)))).status).toBe(DECIDED);
    expect((await other.sponsor(op())).status).toBe(DECIDED);
    expect(await decisions()).toBe(4);
  });

  test.each(['userOp', 'userOperation'])(
    'finds the user in a request that is one object, as its member %s',
    async (member) => {
      const { engine: desk, dapp } = await start({ rateLimitPerSender: 1 });
      const [asked] = requestFor(account(1), 1).params as [unknown];
      const send = async (method: string) => {
        const { body } = await desk.post(pathOf(dapp), {
          jsonrpc: '2.0',
          id: 1,
          method,
          params: [{ [member]: asked }],
        });
        return body.error?.code;
      };
      expect(await send('zd_sponsorUserOperation')).not.toBe(-32029);
      expect(await send('alchemy_requestPaymasterAndData')).toBe(-32029);
    },
  );

  test('refuses its part of a batch only', async () => {
    const { engine: desk, dapp } = await start({ rateLimitPerSender: 1 });
    const batch = [1, 1, 2].map((sender, id) => requestFor(account(sender), id));
    const { body } = await desk.post(pathOf(dapp), batch);
    expect((body as unknown as RpcBody[]).map(({ error }) => error?.code)).toEqual([-32052, -32029, -32052]);
  });
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

describe('a limit per IP address', () => {
  test('does not apply to this machine', async () => {
    const { dapp } = await start({ rateLimitPerIp: 1 });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await dapp.sponsor(op())).status);
    expect(statuses).toEqual([DECIDED, DECIDED, DECIDED]);
  });

  test.skipIf(outside === undefined)(
    'applies to other machines, on every interface (needs an address besides loopback)',
    async () => {
      const { engine: desk, dapp } = await start({ rateLimitPerIp: 3, host: '0.0.0.0' });
      const url = `http://${outside}:${new URL(desk.url).port}`;
      const post = () =>
        fetch(url + pathOf(dapp), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(requestFor(account(1))),
        });
      const statusOf = async (page: string): Promise<number> => {
        const { status, body } = await fetch(page);
        await body?.cancel();
        return status;
      };
      const first = [(await post()).status, await statusOf(`${url}/openapi.json`), (await post()).status];
      expect(first).toEqual([DECIDED, 200, DECIDED]);

      const rpc = await post();
      expect([rpc.status, rpc.headers.get('retry-after')]).toEqual([429, '20']);
      expect(await rpc.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32029 } });
      const management = await fetch(`${url}/api/v2/public/sdk/paymaster`);
      expect([management.status, management.headers.get('retry-after')]).toEqual([429, '20']);
      expect(await management.json()).toEqual({
        statusCode: 429,
        message: 'Too many requests from your IP address. Try again in 20 s',
      });
    },
  );
});

test('without settings a thousand requests of one sender at once are no flood', async () => {
  const { engine: desk, dapp } = await start({});
  const batch = Array.from({ length: 20 }, (_, id) => requestFor(account(1), id));
  const answers = await Promise.all(Array.from({ length: 50 }, () => desk.post(pathOf(dapp), batch)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await decisions()).toBe(1000);
});
