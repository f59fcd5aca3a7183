import { expect, test } from 'vitest';
import { startCuttableProxy } from '../support/cuttable-proxy.ts';
import { type Answer, passTo, text, withNode } from '../support/odd-node.ts';
import { codeOf } from '../support/offline-desk.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const TIMEOUT_MS = 1_000;
const world = useSponsoredWorld({ chainTimeoutMs: TIMEOUT_MS });

const GWEI = 10n ** 9n;
const TANK_WEI = 10n ** 20n;
/** What version 1.1.0 reserves for an operation of {@link greedy}. */
const COST = 1_000n * RESERVED_WEI;
/** Gives its bundler a thousand times what its gas costs. */
const greedy = (nonce = 0): Record<string, unknown> => {
  const price = `0x${(1_000n * GWEI).toString(16)}`;
  const call = { to: world().contracts.gameItems, data: gameCall('mint') };
  return operation(call, { nonce, maxFeePerGas: price, maxPriorityFeePerGas: price });
};

const set = (settings: Record<string, unknown>): Promise<unknown> =>
  world().engine.service.call('chains.set', { chainId: world().chain.chainId, ...settings });

/** A DApp whose contract and chain were checked, while the desk asks the node at a URL. */
const atNode = async (rpc: string, run: (dapp: SponsoredDapp) => Promise<void>): Promise<void> => {
  // The cap per operation does not apply here: the node is looked at.
  await set({ rpc, maxOperationCostWei: String(COST) });
  try {
    const dapp = await world().dapp(TANK_WEI);
    expect((await dapp.sponsor(greedy())).body.result?.reason?.code).toBe('FEE_TOO_HIGH');
    await run(dapp);
  } finally {
    await set({ rpc: world().chain.url, unreachable: null, maxOperationCostWei: null });
  }
};

const expectUnreachable = async (dapp: SponsoredDapp, { status, body }: RpcReply): Promise<void> => {
  expect([status, body.error?.code, body.result]).toEqual([503, -32053, undefined]);
  const [decision] = await dapp.decisions();
  expect(decision).toMatchObject({ outcome: 'error', code: 'CHAIN_UNREACHABLE', paymasterAndData: '0x' });
};

/** Keeps this process, and with it the desk, from doing anything else. */
const block = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** Hands everything to the chain; once armed it answers balance, block, nonce and account together, and blocks the desk at once. */
const blockingNode = (): { answer: Answer; arm: () => void } => {
  const proper = passTo(world().chain.url);
  let waiting: (() => void)[] | undefined;
  const answer: Answer = (response, method, body) => {
    if (waiting === undefined || (method !== 'eth_call' && method !== 'eth_getBlockByNumber')) {
      proper(response, method, body);
      return;
    }
    const answerBoth = (send: () => void): void => {
      waiting?.push(send);
      if (waiting?.length !== 4) return;
      for (const answerOne of waiting) answerOne();
      waiting = undefined;
      block(3 * TIMEOUT_MS);
    };
    const headers = { 'content-type': 'application/json' };
    void fetch(world().chain.url, { method: 'POST', headers, body })
      .then((reply) => reply.text())
      .then((reply) => answerBoth(() => void response.end(reply)));
  };
  return { answer, arm: () => (waiting = []) };
};

test.each([
  ['without a budget for it', null],
  ['with one', { budgetWei: String(TANK_WEI) }],
])(
  'a blocked event loop makes no node unreachable, %s: its answers are there, and are read',
  async (_, unreachable) => {
    const { answer, arm } = blockingNode();
    await withNode(answer, (url) =>
      atNode(url, async (dapp) => {
        await set({ unreachable });
        arm();
        const { body } = await dapp.sponsor(greedy());
        expect(body.result?.reason).toMatchObject({ code: 'FEE_TOO_HIGH', rule: 'fees' });
      }),
    );
  },
);

/** A proxy that serves a burst of requests, and answers all others with a page and 503, as nginx with `limit_req` does. */
const limitedNode = (): { answer: Answer; limit: (burst: number) => void } => {
  const proper = passTo(world().chain.url);
  const busy = text('<html><h1>503 Service Temporarily Unavailable</h1></html>', 503);
  let left = Number.POSITIVE_INFINITY;
  return { answer: (...request) => ((left -= 1) >= 0 ? proper : busy)(...request), limit: (burst) => (left = burst) };
};

test('a flood of balance requests that uses up what the proxy of a node serves has nothing signed, or no more than a budget', async () => {
  const { answer, limit } = limitedNode();
  await withNode(answer, (url) =>
    atNode(url, async (dapp) => {
      limit(20);
      const flood = { jsonrpc: '2.0', id: 1, method: 'pm_paymasterBalance', params: [] };
      const path = `/api/v1/${world().chain.chainId}/${dapp.apiKey}`;
      await Promise.all(Array.from({ length: 40 }, () => world().engine.post(path, flood)));
      await expectUnreachable(dapp, await dapp.sponsor(greedy()));

      await set({ unreachable: { budgetWei: String(2n * COST) } });
      const codes: string[] = [];
      for (let nonce = 0; nonce < 4; nonce += 1) codes.push(codeOf(await dapp.sponsor(greedy(nonce))));
      const spent = 'UNREACHABLE_BUDGET_SPENT';
      expect(codes).toEqual(['SPONSORED', 'SPONSORED', spent, spent]);
    }),
  );
});

test('a node to which no connection is made, as when the desk runs out of descriptors, has nothing signed', async () => {
  const line = await startCuttableProxy(world().chain.url);
  await atNode(line.url, async (dapp) => {
    await line.cut();
    await expectUnreachable(dapp, await dapp.sponsor(greedy()));
  });
});
