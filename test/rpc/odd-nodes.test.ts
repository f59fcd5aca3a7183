import { expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { createRpcClient } from '../../src/engine/chain/rpc.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { deployFeeTokens } from '../support/fee-tokens.ts';
import { type Answer, error, json, passTo, result, text, withNode } from '../support/odd-node.ts';
import { gameCall, operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { setUnseenChain } from '../support/unseen-chain.ts';
import { shareOf } from '../support/combinations.ts';

const world = useSponsoredWorld();

const GWEI = 10n ** 9n;
const op = (overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  operation({ to: world().contracts.gameItems, data: gameCall('mint') }, overrides);

/** Asks while the world's node answers some methods in its own way. */
const ask = (
  answers: Record<string, Answer>,
  run: (dapp: SponsoredDapp) => Promise<RpcReply>,
  tankWei = 10n ** 20n,
): Promise<RpcReply> => {
  const { chain, engine } = world();
  const proper = passTo(chain.url);
  const answer: Answer = (response, method, body) => (answers[method] ?? proper)(response, method, body);
  return withNode(answer, async (rpc) => {
    const dapp = await world().dapp(tankWei);
    await setUnseenChain(engine.service, chain.chainId, rpc);
    try {
      return await run(dapp);
    } finally {
      await engine.service.call('chains.set', { chainId: chain.chainId, rpc: chain.url });
    }
  });
};

test('on a chain whose node wants 30 gwei of tip over a low base fee, clients that do as it says are served', async () => {
  const price = `0x${(32n * GWEI).toString(16)}`;
  const tipping = op({ maxFeePerGas: price, maxPriorityFeePerGas: price });
  const lowBaseFee = result({ number: '0x1', baseFeePerGas: '0xf', gasLimit: '0x1c9c380' });
  const amoy = { eth_getBlockByNumber: lowBaseFee, eth_maxPriorityFeePerGas: result('0x6fc23ac00') };
  const { body } = await ask(amoy, (dapp) => dapp.sponsor(tipping));
  expect([body.error, body.result?.reason]).toEqual([undefined, undefined]);

  const without = { ...amoy, eth_maxPriorityFeePerGas: result('0x0') };
  const denied = await ask(without, (dapp) => dapp.sponsor(tipping));
  expect(denied.body.result?.reason).toMatchObject({ code: 'FEE_TOO_HIGH', rule: 'fees' });
});

test.each(['eth_call', 'eth_getCode', 'eth_getBlockByNumber'])(
  'a node that is tired of %s is away, not our bug, for who pays in a token, too',
  async (method) => {
    const { chain, engine, operator } = world();
    const { chainId } = chain;
    await attachNewContract(engine.service, operator, { chainId, version: 'singleton-0.6' });
    const token = await deployFeeTokens(world());
    const dapp = await engine.dapp({ version: 'singleton-0.6' });
    const tokenInfo = { feeTokenAddress: token.static.address };
    const { status, body } = await ask({ [method]: error(429, 'too many requests') }, () =>
      dapp.sponsor(op(), { mode: 'ERC20', tokenInfo }),
    );
    expect([status, body.error?.code]).toEqual([503, -32053]);
  },
);

/** How the node answers both reads of the money, or only the first. */
const money = (balance: Answer, block?: Answer): Record<string, Answer> => ({
  eth_call: balance,
  ...(block && { eth_getBlockByNumber: block }),
});

/** Answers that tell neither balance nor base fee. */
const missing: [string, Answer][] = [
  ['a page with 502', text('<html>502</html>', 502)],
  ['a page with 503', text('<html>503</html>', 503)],
  ['nothing, and hangs up', (response) => response.destroy()],
  ['a page that is no error', text('<html>Welcome</html>')],
  ['a body that is null', json(null)],
  ['429', error(429, 'too many requests', 429)],
  ['a page with 429', text('slow down', 429)],
  ['that its plan is used up', error(-32005, 'daily limit exceeded')],
  ['null', result(null)],
];

/** While the chain has a budget for when its node is unreachable. */
const withBudget = async (run: () => Promise<RpcReply>): Promise<RpcReply> => {
  const { chain, engine } = world();
  const set = (unreachable: { budgetWei: string } | null): Promise<unknown> =>
    engine.service.call('chains.set', { chainId: chain.chainId, unreachable });
  await set({ budgetWei: String(10n ** 18n) });
  try {
    return await run();
  } finally {
    await set(null);
  }
};

const BUDGETS = ['denied', 'within a budget'] as const;

test.each(shareOf(missing, 'denied', BUDGETS))(
  'nothing is signed while the node answers every read with %s',
  async (_, bad) => {
    const { status, body } = await ask(money(bad, bad), (dapp) => dapp.sponsor(op()));
    expect([status, body.error?.code]).toEqual([503, -32053]);
  },
);

test.each(shareOf(missing, 'within a budget', BUDGETS))(
  'within a budget an operation with its gas is signed while the node answers every read with %s',
  async (_, bad) => {
    const { status, body } = await withBudget(() => ask(money(bad, bad), (dapp) => dapp.sponsor(op()), 0n));
    expect([status, body.error, body.result?.reason]).toEqual([200, undefined, undefined]);
  },
);

test.each<[string, Record<string, Answer>]>([
  ['null for the balance', money(result(null))],
  ['no hex for the balance', money(result('-1'))],
  ['null for the block', { eth_getBlockByNumber: result(null) }],
  ['nonsense for the block', { eth_getBlockByNumber: result('0xnothexatall') }],
  ['429 for the balance only', money(error(429, 'too many requests'))],
  ['HTML for the balance only', money(text('<html>502</html>'))],
  ['429 for the block only', { eth_getBlockByNumber: error(429, 'too many requests') }],
])('nothing is signed unchecked, budget or not, by a node that answers one read and %s', async (_, answers) => {
  const denied = await ask(answers, (dapp) => dapp.sponsor(op()));
  const within = await withBudget(() => ask(answers, (dapp) => dapp.sponsor(op())));
  for (const { status, body } of [denied, within]) expect([status, body.error?.code]).toEqual([503, -32053]);
});

test('no budget signs what needs the node: estimated gas, or a user who pays in a token', async () => {
  const { chain, engine, operator } = world();
  const silent: Answer = (response) => response.destroy();
  const { chainId } = chain;
  await attachNewContract(engine.service, operator, { chainId, version: 'singleton-0.6' });
  const token = await deployFeeTokens(world());
  const singleton = await engine.dapp({ version: 'singleton-0.6' });
  const tokenInfo = { feeTokenAddress: token.static.address };
  for (const run of [
    (dapp: SponsoredDapp) => dapp.sponsor(op(), { calculateGasLimits: true }),
    () => singleton.sponsor(op(), { mode: 'ERC20', tokenInfo }),
  ]) {
    const { status, body } = await withBudget(() => ask(money(silent, silent), run));
    expect([status, body.error?.code]).toEqual([503, -32053]);
  }
});

test('a node that sends without end does not fill the memory of the desk', async () => {
  const part = 'a'.repeat(2 ** 20);
  let isOpen = true;
  const endless: Answer = (response) => {
    const send = (): void => {
      if (isOpen) response.write(part, send);
    };
    response.on('close', () => (isOpen = false)).write('{"jsonrpc":"2.0","id":1,"result":"0x');
    send();
  };
  await withNode(endless, async (url) => {
    const client = createRpcClient(url, 'The node', PATIENCE_MS);
    await expect(client.send('eth_call', [])).rejects.toThrow('The node answered with more than 32 MiB');
    await expect.poll(() => isOpen).toBe(false);
  });
});

test('an error with deeply nested data is the error of the node, and not an internal one', async () => {
  const LEVELS = 100_000;
  const data = `${'{"data":'.repeat(LEVELS)}"Reverted 0x08c379a0"${'}'.repeat(LEVELS)}`;
  const answer = text(`{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":${data}}}`);
  await withNode(answer, async (url) => {
    const client = createRpcClient(url, 'The node', PATIENCE_MS);
    await expect(client.send('eth_call', [])).rejects.toMatchObject({ name: 'RpcError', data: '0x08c379a0' });
  });
});

test('of a message of megabytes, DApps and decisions get the beginning, without the key of the node', async () => {
  const key = 'k'.repeat(40);
  const answer = error(-32_000, `refused: ${`${key} `.repeat(500_000)}`);
  await withNode(answer, async (url) => {
    const client = createRpcClient(`${url}/${key}`, 'The node', PATIENCE_MS);
    const refused = await client.send('eth_chainId', []).catch((reason: unknown) => (reason as Error).message);
    expect(refused).toMatch(/^refused: \[secret\] /);
    expect(refused).not.toContain('kkkk');
    expect(String(refused).length).toBeLessThanOrEqual(16_384);
  });
});
