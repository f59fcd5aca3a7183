import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Timer } from '../../src/renderer/src/timer.ts';
import { electronTransport } from '../../src/renderer/src/transport/electron.ts';
import { followFeed } from '../../src/renderer/src/transport/follow-feed.ts';
import { httpTransport } from '../../src/renderer/src/transport/http.ts';
import type { Transport } from '../../src/renderer/src/transport/transport.ts';
import type { ConsoleBridge, EngineAnswer } from '../../src/shared/console-bridge.ts';
import { EngineError } from '../../src/shared/errors.ts';
import type { FeedPage } from '../../src/shared/schema/decision.ts';
import { operation } from '../support/operations.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { type Shell, portOf, startShell } from '../support/shell.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

/** One desk as a transport reaches it. */
interface ReachedPage {
  readonly transport: Transport;
  /** Where DApps ask for sponsorship. */
  readonly url: string;
}

let home: string;
let shell: Shell;
let engine: ServingEngine;
const reached: Record<string, ReachedPage> = {};

/** The bridge of the built window, called from outside: all that it carries crosses the same IPC. */
const bridgeOf = ({ page }: Shell): ConsoleBridge => ({
  call: (name, input) =>
    page.evaluate(
      ([name, input]) => (window as unknown as { gasdesk: ConsoleBridge }).gasdesk.call(name as string, input),
      [name, input],
    ),
  copy: () => Promise.reject(new Error('Nothing is copied here')),
  print: () => Promise.reject(new Error('Nothing is printed here')),
});

beforeAll(async () => {
  home = makeTempFolder();
  shell = await startShell(home, { GASDESK_PASSPHRASE: 'correct horse battery staple' });
  const port = await portOf(shell);
  reached['IPC'] = { transport: electronTransport(bridgeOf(shell)), url: `http://127.0.0.1:${port}` };
  const dir = mkdtempSync(join(home, 'http-'));
  engine = await startEngine({ dir });
  const { url, operatorToken } = engine;
  const transport = httpTransport(`${url}/console/`, operatorToken.reveal());
  reached['HTTP'] = { transport, url };
});
afterAll(async () => {
  await shell.quit();
  await engine.stop();
  removeTempFolder(home);
});

const at: Timer = {
  now: () => 0,
  // No test waits: a pause is over at once.
  after: (_ms, fn) => {
    const handle = setImmediate(fn);
    return () => clearImmediate(handle);
  },
};

describe.each(['IPC', 'HTTP'])('over %s', (way) => {
  let transport: Transport;
  let url: string;
  let made = 0;
  beforeEach(() => ({ transport, url } = reached[way]!));

  const newDapp = async () => {
    const [account] = await transport.call('accounts.list', {});
    const { accountId = '' } = account ?? {};
    const name = `DApp ${(made += 1)}`;
    return transport.call('paymasters.create', { accountId, name, type: 'HYBRID', chainId: 31337, version: '1.1.0' });
  };
  const decide = async (apiKey: string, count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) {
      const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
      const body = { jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params: [op, { mode: 'SPONSORED' }] };
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/api/v1/31337/${apiKey}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect(await answer.text()).toContain('No paymaster contract');
    }
  };

  test('everything the pages call answers alike', async () => {
    const { paymasterId } = await newDapp();
    const rule = {
      name: 'Five a day',
      policyType: 'PAYMASTER_SA_LIMIT' as const,
      policyData: {
        type: 'SMART_ACCOUNT' as const,
        thresholdType: 'COUNT' as const,
        threshold: 5,
        cycleDuration: { value: 1, unit: 'day' as const },
      },
    };
    const { _id: ruleId } = await transport.call('rules.create', { paymasterId, rule });
    await transport.call('rules.updateLimit', { paymasterId, ruleId, update: { threshold: 6 } });
    expect(await transport.call('rules.deactivate', { paymasterId, ruleId })).toBeNull();
    expect(await transport.call('rules.list', { paymasterId })).toMatchObject([
      { name: 'Five a day', active: false, policyData: { threshold: '6' } },
    ]);
    const abi = '[{"type":"function","name":"mint","inputs":[],"stateMutability":"nonpayable"}]';
    expect(await transport.call('contracts.methods', { abi })).toEqual({ methods: ['mint'] });
    const contract = { paymasterId, name: 'Items', address: `0x${'22'.repeat(20)}` as const, abi };
    expect(await transport.call('contracts.create', contract)).toMatchObject({ whitelistedMethods: [] });
    const webhook = { paymasterId, webhookUrl: 'https://hooks.example/', requestType: 'POST' as const };
    const { webhookId } = await transport.call('webhooks.create', webhook);
    expect(await transport.call('webhooks.secret', { webhookId })).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
    });
    await transport.call('receiver.start', {});
    expect(await transport.call('receiver.set', { behaviour: 'deny', webhookId })).toMatchObject({ webhookId });
    expect(await transport.call('receiver.stop', {})).toMatchObject({ url: null, calls: [] });
    const dead = { paymasterId, webhookUrl: 'http://169.254.169.254/', requestType: 'POST' as const };
    const { webhookId: refused } = await transport.call('webhooks.create', dead);
    expect(await transport.call('webhooks.test', { webhookId: refused, data: { a: 1 } })).toMatchObject({
      step: { code: 'WEBHOOK_ADDRESS_REFUSED', call: { request: { body: '{"data":{"a":1}}' } } },
    });
    expect(await transport.call('system.log', { level: 'info' })).toMatchObject({ lines: expect.any(Array) });
    const { settings } = await transport.call('config.get', {});
    expect(settings).toContainEqual(expect.objectContaining({ key: 'rateLimitPerKey', change: 'now' }));
    expect(await transport.call('config.set', { key: 'rateLimitPerIp', value: 5_000 })).toMatchObject({ value: 5_000 });
    expect(await transport.call('authTokens.create', {})).toMatchObject({ authToken: expect.stringMatching(/^gd_/) });
    expect(await transport.call('decisions.summary', { hours: 1, steps: 2 })).toMatchObject({ outcomes: [{}, {}] });
    expect(await transport.call('paymasterContracts.versions', {})).toContainEqual(
      expect.objectContaining({ version: '1.1.0', entryPointVersion: '0.6', hasTanks: true, deployable: true }),
    );
    expect(await transport.call('system.info', {})).toMatchObject({ vault: 'unlocked', url });
  });

  test.each([
    ['decisions.show', { decisionId: 'x' }, 'DECISION_NOT_FOUND'],
    ['decisions.list', { all: true }, 'VALIDATION'],
    ['no.such', {}, 'METHOD_NOT_FOUND'],
  ])('a failure of %s keeps its code and its data', async (name, input, code) => {
    const failure: unknown = await transport
      .call(name as 'system.info', input as never)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EngineError);
    expect(failure).toMatchObject({ code, message: expect.any(String), data: expect.any(Object) });
  });

  const here = async (): Promise<number> => (await transport.call('decisions.follow', { wait: false })).upTo;

  test('the first page has the position of the feed at once; a reader who is ahead, after a restored backup, continues there', async () => {
    const { apiKey } = await newDapp();
    const upTo = await here();
    const pages: FeedPage[] = [];
    let isConnected = false;
    const listener = {
      onConnected: () => (isConnected = true),
      onPage: (page: FeedPage) => pages.push(page),
      onLost: () => undefined,
    };
    onTestFinished(followFeed(transport, at, listener, upTo + 1_000));
    await expect.poll(() => isConnected).toBe(true);
    expect(pages).toEqual([{ rows: [], upTo, more: false }]);
    await decide(apiKey, 3);
    await expect.poll(() => pages.flatMap(({ rows }) => rows)).toHaveLength(3);
    expect(pages.at(-1)?.upTo).toBe(upTo + 3);
  });

  test('everything is shown once and in order, also what was made while the connection was lost', async () => {
    const { apiKey, paymasterId } = await newDapp();
    const upTo = await here();
    let cut = new AbortController();
    let connections = 0;
    const flaky: Transport = {
      ...transport,
      feed: async ({ signal, ...source }) => {
        connections += 1;
        cut = new AbortController();
        const lost = new Promise<never>((_, reject) => {
          cut.signal.addEventListener('abort', () => reject(new Error('cut')));
        });
        await Promise.race([transport.feed({ ...source, signal: AbortSignal.any([signal, cut.signal]) }), lost]);
      },
    };
    const pages: FeedPage[] = [];
    const told = () => pages.flatMap(({ rows }) => rows);
    const lost: unknown[] = [];
    const stop = followFeed(flaky, at, {
      onConnected: () => undefined,
      onPage: (page) => pages.push(page),
      onLost: (error) => lost.push(error),
    });
    onTestFinished(stop);
    await expect.poll(() => pages.length).toBe(1);

    await decide(apiKey, 3);
    await expect.poll(() => told().length).toBe(3);
    const first = told()[0]!.seq;
    await decide(apiKey, 1);
    await expect.poll(() => told().length).toBe(4);
    cut.abort();
    await decide(apiKey, 4);

    const made = { isNew: true, paymasterId, settlement: null, actualCostWei: null };
    await expect.poll(told).toMatchObject([0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({ ...made, seq: first + n })));
    expect(pages.at(-1)?.upTo).toBe(upTo + 8);
    expect([connections, lost.length]).toEqual([2, 1]);
    expect(JSON.stringify(told())).not.toMatch(/"(trace|request|call)":/);
  });
});

test('a transport that is refused is not tried again and again', async () => {
  const lost: unknown[] = [];
  const stop = followFeed(httpTransport(`${engine.url}/console/`, 'A'.repeat(43)), at, {
    onConnected: () => undefined,
    onPage: () => undefined,
    onLost: (error) => lost.push(error),
  });
  onTestFinished(stop);
  await expect.poll(() => lost.length).toBe(1);
  expect(lost[0]).toMatchObject({ code: 'OPERATOR_TOKEN_INVALID' });
});

test('an answer is an envelope on both ways, whatever was asked', async () => {
  const answer: EngineAnswer = await bridgeOf(shell).call('no.such', {});
  expect(answer).toMatchObject({ ok: false, code: 'METHOD_NOT_FOUND' });
});
