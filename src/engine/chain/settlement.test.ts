import { id, toBeHex, toQuantity, zeroPadValue } from 'ethers';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { MemorySettlementStore } from '../../../test/support/memory-settlement-store.ts';
import { ScriptedNode, blocksOf } from '../../../test/support/scripted-node.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { createLog } from '../base/log.ts';
import { RpcError } from './rpc.ts';
import { createSettlement } from './settlement.ts';

const CHAIN = 31337;
const ENTRY_POINT: Address = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';
const PAYMASTER: Address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
const ACCOUNT: Address = `0x${'ac'.repeat(20)}`;
const START = Date.UTC(2026, 0, 1);
const SECONDS = START / 1000;
const HASH: Hex = `0x${'a1'.repeat(32)}`;
const EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');

interface Desk {
  nodes?: Record<number, ScriptedNode>;
  maxRangeBlocks?: number;
}

/** A settlement with scripted nodes. The timestamp of their newest blocks is the current time. */
const desk = ({ nodes, maxRangeBlocks = 2_000 }: Desk = {}) => {
  const node = nodes?.[CHAIN] ?? new ScriptedNode(5_000, SECONDS);
  const all = nodes ?? { [CHAIN]: node };
  const store = new MemorySettlementStore();
  const clock = new ManualClock(START);
  const logged: { event: string; chainId?: number }[] = [];
  const log = createLog({ level: 'debug', write: (line) => logged.push(JSON.parse(line) as { event: string }) });
  const chains = { rpc: async (chainId: number) => all[chainId] };
  const create = () => createSettlement({ store, chains, clock, log, maxRangeBlocks });
  let settlement = create();
  const restart = async (): Promise<void> => {
    await settlement.stop();
    settlement = create();
  };
  const reserve = (
    fields: { chainId?: number; userOpHash?: Hex; validUntil?: number; at?: number; nonce?: bigint } = {},
  ) =>
    store.reserve({
      chainId: CHAIN,
      userOpHash: HASH,
      entryPoint: ENTRY_POINT,
      paymaster: PAYMASTER,
      sender: ACCOUNT,
      nonce: 0n,
      maxCost: 1_000n,
      validUntil: SECONDS + 300,
      at: START,
      ...fields,
    });
  const events = (): string[] => logged.map(({ event }) => event);
  return {
    node,
    store,
    clock,
    events,
    reserve,
    restart,
    get settlement() {
      return settlement;
    },
  };
};

const unreachable = (): never => {
  throw new EngineError('CHAIN_UNREACHABLE', 'The RPC cannot be reached');
};

test('an engine settles only while it is the leader, and what the last leader left', async () => {
  const { node, store, clock, reserve } = desk();
  const decision = reserve();
  store.cursors.set(CHAIN, 4_000);
  node.mine(HASH, PAYMASTER, 7n, 4_500);
  let isLeader = false;
  const log = createLog({ level: 'silent' });
  const settlement = createSettlement({
    store,
    chains: { rpc: async () => node },
    clock,
    log,
    isLeader: () => isLeader,
  });
  expect(await settlement.pollNow()).toBe(true);
  expect([node.ranges, settlement.polledAt(CHAIN)]).toEqual([[], undefined]);
  isLeader = true;
  expect(await settlement.pollNow()).toBe(true);
  expect(decision).toMatchObject({ settlement: 'settled', mined: { blockNumber: 4_500 } });
  expect(settlement.polledAt(CHAIN)).toBe(START);
  isLeader = false;
  const asked = node.ranges.length;
  await settlement.pollNow();
  expect([node.ranges.length, settlement.polledAt(CHAIN)]).toEqual([asked, undefined]);
  await settlement.stop();
});

describe('a provider with limits', () => {
  test('on blocks is asked for as many as it answers, and nothing is missed', async () => {
    const { node, store, settlement, reserve } = desk();
    const decision = reserve();
    store.cursors.set(CHAIN, 100);
    node.mine(HASH, PAYMASTER, 7n, 1_234);
    node.overrule = (method, params) => {
      if (method === 'eth_getLogs' && blocksOf(params) > 300) throw new RpcError(-32005, 'too wide', undefined);
      return undefined;
    };
    expect(await settlement.pollNow()).toBe(true);
    expect(decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost: 7n, blockNumber: 1_234 } });
    expect(store.cursors.get(CHAIN)).toBe(node.head);
    expect(node.ranges.filter((blocks) => blocks <= 300).reduce((sum, blocks) => sum + blocks)).toBe(4_911);
    expect(node.ranges.length).toBeLessThan(45);
  });

  test('in time, without saying so, is handled with more patience', async () => {
    const { node, store, settlement, reserve } = desk();
    reserve();
    store.cursors.set(CHAIN, 100);
    node.overrule = (method, params) =>
      method === 'eth_getLogs' && blocksOf(params) > 600 ? unreachable() : undefined;
    let polls = 1;
    while (!(await settlement.pollNow())) polls += 1;
    expect(polls).toBeLessThan(12);
    expect(store.cursors.get(CHAIN)).toBe(node.head);
  });

  test('that refuses a single block is an outage, not an endless loop', async () => {
    const { node, settlement, reserve, events } = desk();
    reserve();
    node.overrule = (method) => {
      if (method === 'eth_getLogs') throw new RpcError(-32000, 'internal error', undefined);
      return undefined;
    };
    expect(await settlement.pollNow()).toBe(false);
    expect(node.ranges.at(-1)).toBe(1);
    expect(events()).toEqual(['settlement.interrupted']);
  });
});

const block = { number: '0x1388', hash: `0x${'b1'.repeat(32)}`, timestamp: '0x695c0000' };
const logEntry = {
  address: `0x${'ee'.repeat(20)}`,
  topics: [EVENT, HASH, `0x${'00'.repeat(32)}`, `0x${'00'.repeat(32)}`],
  data: `0x${'00'.repeat(128)}`,
  blockNumber: '0x1380',
  blockHash: `0x${'b2'.repeat(32)}`,
  transactionHash: `0x${'b3'.repeat(32)}`,
  logIndex: '0x0',
};

test.each<[string, string, unknown]>([
  ['no block', 'eth_getBlockByNumber', null],
  ['a text', 'eth_getBlockByNumber', '<html>502</html>'],
  ['a block number in decimal', 'eth_getBlockByNumber', { ...block, number: 5_000 }],
  ['a block number beyond all chains', 'eth_getBlockByNumber', { ...block, number: `0x${'f'.repeat(20)}` }],
  ['a block without a hash', 'eth_getBlockByNumber', { ...block, hash: null }],
  ['a block without a time', 'eth_getBlockByNumber', { number: block.number, hash: block.hash }],
  ['no list of logs', 'eth_getLogs', { logs: [] }],
  ['a log with too few topics', 'eth_getLogs', [{ ...logEntry, topics: logEntry.topics.slice(0, 3) }]],
  ['a log with too little data', 'eth_getLogs', [{ ...logEntry, data: '0x00' }]],
  ['a log that is not mined', 'eth_getLogs', [{ ...logEntry, blockNumber: null }]],
  ['a log of a block not asked for', 'eth_getLogs', [{ ...logEntry, blockNumber: '0x1' }]],
])('a node that answers %s is an outage: nothing is settled or released on its word', async (_what, method, answer) => {
  const { node, store, settlement, reserve } = desk();
  const mined = reserve();
  const lost = reserve({ userOpHash: `0x${'a2'.repeat(32)}`, validUntil: SECONDS - 500 });
  node.mine(HASH, PAYMASTER, 7n, node.head);
  node.overrule = (asked) => (asked === method ? answer : undefined);
  expect(await settlement.pollNow()).toBe(false);
  expect([mined.history, lost.history, store.cursors.size]).toEqual([['reserved'], ['reserved'], 0]);
  node.overrule = () => undefined;
  expect(await settlement.pollNow()).toBe(true);
  expect([mined.settlement, lost.settlement]).toEqual(['settled', 'released']);
});

test('a log that a re-org removed does not settle', async () => {
  const { node, settlement, reserve } = desk();
  const decision = reserve();
  node.overrule = (method) => (method === 'eth_getLogs' ? [{ ...logEntry, removed: true }] : undefined);
  expect(await settlement.pollNow()).toBe(true);
  expect(decision.settlement).toBe('reserved');
});

test('a provider is asked for our operations only', async () => {
  const { node, store, settlement, reserve } = desk();
  store.cursors.set(CHAIN, node.head);
  await settlement.pollNow();
  expect(node.ranges).toEqual([]);
  reserve();
  node.grow(1);
  await settlement.pollNow();
  const [filter] = node.asked.find(({ method }) => method === 'eth_getLogs')!.params;
  expect(filter).toMatchObject({
    address: [ENTRY_POINT],
    topics: [EVENT, null, null, [zeroPadValue(PAYMASTER.toLowerCase(), 32)]],
  });
});

test('an operator with nothing reserved does not pay a provider for reading logs', async () => {
  const { node, store, settlement, reserve } = desk();
  reserve();
  node.mine(HASH, PAYMASTER, 7n, node.head);
  for (let poll = 0; poll < 20; poll += 1) {
    await settlement.pollNow();
    node.grow(1);
  }
  const settled = node.ranges.length;
  expect(settled).toBeLessThan(14);
  node.grow(100_000);
  await settlement.pollNow();
  expect(node.ranges).toHaveLength(settled);
  expect(store.cursors.get(CHAIN)).toBe(node.head);
});

test('a block that was read is not read again while it stays the newest', async () => {
  const { node, settlement, reserve } = desk();
  reserve();
  for (let poll = 0; poll < 5; poll += 1) await settlement.pollNow();
  expect(node.ranges).toHaveLength(1);
});

test('an operation that a re-org moves far up is not missed because nothing else is reserved', async () => {
  const { node, store, settlement, reserve } = desk({ maxRangeBlocks: 3 });
  const decision = reserve();
  node.mine(HASH, PAYMASTER, 7n, node.head);
  await settlement.pollNow();
  await settlement.pollNow();
  node.takeBack(2);
  node.grow(100);
  node.mine(HASH, PAYMASTER, 8n, node.head - 50);
  await settlement.pollNow();
  expect(decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost: 8n } });
  expect(store.cursors.get(CHAIN)).toBe(node.head);
});

test('a re-org is noticed although the node fails while the blocks are read again', async () => {
  const { node, settlement, reserve } = desk({ maxRangeBlocks: 5 });
  const decision = reserve();
  node.mine(HASH, PAYMASTER, 7n, node.head);
  await settlement.pollNow();
  expect(decision.settlement).toBe('settled');
  node.takeBack(4);
  let answers = 1;
  node.overrule = (method) => {
    if (method !== 'eth_getLogs') return undefined;
    answers -= 1;
    return answers < 0 ? unreachable() : undefined;
  };
  expect(await settlement.pollNow()).toBe(false);
  node.overrule = () => undefined;
  expect(await settlement.pollNow()).toBe(true);
  expect(decision.settlement).toBe('reserved');
});

test('a re-org that takes back an operation that another one had moved far up is noticed', async () => {
  const { node, store, settlement, reserve } = desk();
  const decision = reserve();
  node.mine(HASH, PAYMASTER, 7n, node.head);
  await settlement.pollNow();
  node.takeBack(1);
  node.grow(12);
  node.mine(HASH, PAYMASTER, 8n, node.head);
  await settlement.pollNow();
  node.grow(1);
  await settlement.pollNow();
  expect(decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost: 8n } });
  node.takeBack(2);
  node.grow(3);
  await settlement.pollNow();
  expect(decision.settlement).toBe('reserved');
  expect([store.reservedWei, store.spentWei]).toEqual([1_000n, 0n]);
});

test('a chain that is set back to the head that was read takes back what was settled before the node failed', async () => {
  const { node, settlement, reserve } = desk({ maxRangeBlocks: 3 });
  const decision = reserve();
  await settlement.pollNow();
  node.grow(5);
  node.mine(HASH, PAYMASTER, 7n, node.head - 4);
  let answers = 6;
  node.overrule = (method) => (method === 'eth_getLogs' && (answers -= 1) < 0 ? unreachable() : undefined);
  expect(await settlement.pollNow()).toBe(false);
  expect(decision.settlement).toBe('settled');
  node.takeBack(5);
  node.overrule = () => undefined;
  expect(await settlement.pollNow()).toBe(true);
  expect(decision.settlement).toBe('reserved');
});

describe.each([
  [3, 0, 6],
  [3, 6, 7],
  [2_000, 0, 3],
  [2_000, 6, 3],
])('a node that reads %i blocks at once and whose branch has %i others in place of a mined operation', (...row) => {
  const [maxRangeBlocks, others, requests] = row;
  const OTHER: Hex = `0x${'a2'.repeat(32)}`;

  /**
   * Makes the node stop responding for hours after each possible number of responses. Afterwards it has the new branch,
   * or the original chain again.
   */
  const fallSilent = async (isBackAsItWas: boolean) => {
    const seen: { histories: string[][]; wei: bigint[] }[] = [];
    for (;;) {
      const [before, after] = [new ScriptedNode(5_000, SECONDS), new ScriptedNode(5_000, SECONDS)];
      const nodes = { [CHAIN]: before };
      const { clock, store, settlement, reserve } = desk({ nodes, maxRangeBlocks });
      const decisions = [reserve(), reserve({ userOpHash: OTHER })];
      before.mine(HASH, PAYMASTER, 7n, before.head - 2);
      for (const node of [before, after]) node.mine(OTHER, PAYMASTER, 5n, node.head - 6);
      await settlement.pollNow();
      after.takeBack(4);
      after.grow(others);
      let answers = seen.length;
      after.overrule = () => ((answers -= 1) < 0 ? unreachable() : undefined);
      nodes[CHAIN] = after;
      if (await settlement.pollNow()) return seen;
      await clock.advance(3 * 3_600_000);
      after.overrule = () => undefined;
      if (isBackAsItWas) nodes[CHAIN] = before;
      expect(await settlement.pollNow()).toBe(true);
      seen.push({ histories: decisions.map(({ history }) => [...history]), wei: [store.reservedWei, store.spentWei] });
    }
  };

  test('reserves it again, wherever the node falls silent meanwhile', async () => {
    const noticed = {
      histories: [
        ['reserved', 'settled', 'reserved'],
        ['reserved', 'settled'],
      ],
      wei: [1_000n, 5n],
    };
    expect(await fallSilent(false)).toEqual(Array(requests).fill(noticed));
  });

  test('leaves it settled where the chain is as it was before, though the clock has run on', async () => {
    const seen = await fallSilent(true);
    expect(seen).toHaveLength(requests);
    for (const { histories, wei } of seen) {
      expect(histories.map((history) => history.at(-1))).toEqual(['settled', 'settled']);
      expect(histories.flat()).not.toContain('released');
      expect(wei).toEqual([0n, 12n]);
    }
  });
});

test('two decisions about one and the same operation are not both charged for it', async () => {
  const { node, store, settlement, reserve } = desk();
  const [first, second] = [reserve(), reserve()];
  node.mine(HASH, PAYMASTER, 7n, node.head);
  await settlement.pollNow();
  node.grow(430);
  await settlement.pollNow();
  expect([first.history, second.history]).toEqual([
    ['reserved', 'settled'],
    ['reserved', 'released'],
  ]);
  expect([store.reservedWei, store.spentWei]).toEqual([0n, 7n]);
});

test.each([
  ['says it is catching up', { currentBlock: '0x1', highestBlock: '0x2' }],
  ['does not say whether it is', new RpcError(-32601, 'method not found', undefined)],
])('a silent node that %s releases nothing by the clock', async (_what, answer) => {
  const { node, clock, settlement, reserve } = desk();
  const decision = reserve();
  node.overrule = (method) => {
    if (method !== 'eth_syncing') return undefined;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  await settlement.pollNow();
  await clock.advance(1_000_000);
  expect(await settlement.pollNow()).toBe(true);
  expect(decision.settlement).toBe('reserved');
  node.overrule = () => undefined;
  await settlement.pollNow();
  expect(decision.settlement).toBe('released');
});

test.each<[string, unknown, number]>([
  ['a public chain stalls', 'Geth/v1.15.0', 1_800],
  ['a public chain stalls, and whose name is not told', new RpcError(-32601, 'method not found', undefined), 1_800],
  ['a fork for development idles', 'anvil/v1.3.0', 424],
])('where the node of %s, what is mined unseen is not given away before its time', async (_what, version, seconds) => {
  const FORKED = 8_453;
  const node = new ScriptedNode(5_000, SECONDS);
  const { clock, settlement, reserve } = desk({ nodes: { [FORKED]: node } });
  const decision = reserve({ chainId: FORKED });
  node.overrule = (method) => {
    if (method !== 'web3_clientVersion') return undefined;
    if (version instanceof Error) throw version;
    return version;
  };
  await settlement.pollNow();
  await clock.advance((seconds - 4) * 1000);
  await settlement.pollNow();
  expect(decision.settlement).toBe('reserved');
  await clock.advance(8_000);
  await settlement.pollNow();
  expect(decision.settlement).toBe('released');
});

describe('a public chain that stood still for long and catches up with blocks of the time it missed', () => {
  test.each(['', ', and the desk was restarted meanwhile'])(
    'settles what was released by our clock%s',
    async (restarted) => {
      const PUBLIC = 8_453;
      const node = new ScriptedNode(5_000, SECONDS);
      const world = desk({ nodes: { [PUBLIC]: node } });
      const decision = world.reserve({ chainId: PUBLIC });
      await world.settlement.pollNow();
      await world.clock.advance(3_600_000);
      await world.settlement.pollNow();
      expect(decision.history).toEqual(['reserved', 'released']);
      if (restarted !== '') await world.restart();
      // A block from five minutes into the halt, with more blocks after it than are read again.
      node.grow(200);
      await world.settlement.pollNow();
      node.grow(100);
      node.mine(HASH, PAYMASTER, 7n, node.head - 50);
      await world.settlement.pollNow();
      expect(decision.history).toEqual(['reserved', 'released', 'settled']);
      expect(world.store.spentWei).toBe(7n);
      // Once the chain's time is later than Gasdesk's, nothing more is read.
      node.grow(4_000);
      await world.settlement.pollNow();
      const { length } = node.ranges;
      node.grow(100);
      await world.settlement.pollNow();
      expect(node.ranges).toHaveLength(length);
    },
  );
});

describe('a mined operation whose hash no decision has', () => {
  const UNKNOWN: Hex = `0x${'a9'.repeat(32)}`;
  const lookedUp = (node: ScriptedNode): number =>
    node.asked.filter(({ method }) => method === 'eth_getTransactionByHash').length;

  test('is looked up once, however often its block is read; one with a decision never', async () => {
    const { node, settlement, reserve } = desk();
    reserve();
    reserve({ userOpHash: `0x${'a2'.repeat(32)}` });
    node.mine(HASH, PAYMASTER, 7n, node.head);
    await settlement.pollNow();
    expect(lookedUp(node)).toBe(0);
    node.mine(UNKNOWN, PAYMASTER, 7n, node.head);
    for (let poll = 0; poll < 5; poll += 1) {
      node.grow(1);
      await settlement.pollNow();
    }
    expect(lookedUp(node)).toBe(1);
  });

  test.each<[string, unknown]>([
    ['has no such transaction', null],
    ['shows no input', { hash: UNKNOWN }],
    ['is busy', new RpcError(-32005, 'too many requests', undefined)],
  ])('waits while the node %s: nothing is settled or released meanwhile', async (_what, answer) => {
    const { node, store, settlement, reserve, events } = desk();
    const decision = reserve({ validUntil: SECONDS - 1_000 });
    node.mine(UNKNOWN, PAYMASTER, 7n, node.head);
    node.overrule = (method) => {
      if (method !== 'eth_getTransactionByHash') return undefined;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    expect(await settlement.pollNow()).toBe(false);
    expect([decision.history, store.cursors.size, events()]).toEqual([['reserved'], 0, ['settlement.interrupted']]);
    node.overrule = () => undefined;
    expect(await settlement.pollNow()).toBe(true);
    expect(decision.settlement).toBe('released');
  });
});

describe('reservations that never expire', () => {
  const OLD = START - 3_600_000;
  const OTHER: Hex = `0x${'a2'.repeat(32)}`;
  const nonceCalls = (node: ScriptedNode): number => node.asked.filter(({ method }) => method === 'eth_call').length;
  /** A node that reports the same number of mined operations for every account. */
  const using = (node: ScriptedNode, answer: () => unknown): void => {
    node.overrule = (method) => (method === 'eth_call' ? answer() : undefined);
  };

  test('are asked about 20 at once and once a minute, the young ones not at all, until all were', async () => {
    const { node, clock, settlement, reserve } = desk();
    for (let nth = 0; nth < 50; nth += 1) reserve({ validUntil: 0, at: OLD });
    reserve({ validUntil: 0 });
    reserve();
    using(node, () => toBeHex(0n, 32));
    const calls: number[] = [];
    for (let poll = 0; poll < 60; poll += 1) {
      node.grow(1);
      await settlement.pollNow();
      if (nonceCalls(node) > (calls.at(-1) ?? 0)) calls.push(nonceCalls(node));
      await clock.advance(4_000);
    }
    expect(calls).toEqual([20, 40, 50, 70]);
  });

  test.each<[string, () => unknown]>([
    [
      'does not know the state of so old a block',
      () => {
        throw new RpcError(-32000, 'missing trie node', undefined);
      },
    ],
    ['answers without a number', () => '0x'],
    ['says that the next nonce is theirs', () => toBeHex(0n, 32)],
  ])('stay where the node %s', async (_what, answer) => {
    const { node, settlement, reserve } = desk();
    const decision = reserve({ validUntil: 0, at: OLD });
    using(node, answer);
    expect(await settlement.pollNow()).toBe(true);
    expect(decision.settlement).toBe('reserved');
  });

  test.each<[string, string, (node: ScriptedNode) => void]>([
    [
      'are released where another operation used the nonce, in a block that stands for good',
      'released',
      (node) => node.mine(HASH, ACCOUNT, 7n, node.head - 20, { entryPoint: ENTRY_POINT, sender: ACCOUNT }),
    ],
    ['are unconfirmed where nothing tells what used the nonce', 'unconfirmed', () => undefined],
  ])('%s', async (_what, becomes, mine) => {
    const { node, settlement, reserve } = desk();
    const [lower, higher] = [
      reserve({ userOpHash: OTHER, validUntil: 0, at: OLD }),
      reserve({ userOpHash: OTHER, validUntil: 0, at: OLD, nonce: 1n }),
    ];
    mine(node);
    using(node, () => toBeHex(1n, 32));
    await settlement.pollNow();
    expect([lower.settlement, higher.settlement]).toEqual([becomes, 'reserved']);
    const call = node.asked.find(({ method }) => method === 'eth_call')!;
    const { hash } = (await node.send('eth_getBlockByNumber', [toQuantity(node.head - 12), false])) as { hash: Hex };
    expect(call.params).toMatchObject([{ to: ENTRY_POINT }, { blockHash: hash, requireCanonical: true }]);
  });
});

describe('the rhythm', () => {
  test('a node that is down is polled less and less often, but at least every 15 seconds, and the log has one line', async () => {
    const { node, clock, settlement, reserve, events } = desk();
    reserve();
    node.overrule = unreachable;
    settlement.start();
    await clock.advance(0);
    const times: number[] = [];
    for (let second = 0; second < 90; second += 1) {
      const before = node.asked.length;
      await clock.advance(1_000);
      if (node.asked.length > before) times.push(second + 1);
    }
    const waits = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(waits).toEqual([8, 15, 15, 15, 15, 15]);
    expect(events()).toEqual(['settlement.interrupted']);

    node.overrule = () => undefined;
    await settlement.pollNow();
    expect(events()).toEqual(['settlement.interrupted', 'settlement.resumed']);
    await settlement.stop();
    expect(clock.pending).toBe(0);
  });

  test('a chain that is sponsored on later is watched from then on', async () => {
    const { node, clock, settlement, reserve } = desk();
    settlement.start();
    await clock.advance(60_000);
    expect(node.asked).toHaveLength(0);
    const decision = reserve();
    node.grow(1);
    node.mine(HASH, PAYMASTER, 7n, node.head);
    await clock.advance(8_000);
    await settlement.pollNow();
    expect(decision.settlement).toBe('settled');
    await settlement.stop();
  });

  test('a chain that was looked at before the start is watched after it', async () => {
    const { node, clock, settlement, reserve } = desk();
    const decision = reserve();
    await settlement.pollNow();
    settlement.start();
    node.grow(1);
    node.mine(HASH, PAYMASTER, 7n, node.head);
    for (let second = 0; second < 8; second += 1) await clock.advance(1_000);
    await settlement.stop();
    expect(decision.settlement).toBe('settled');
  });

  test('polls never overlap, however many are asked for', async () => {
    const { node, clock, settlement, reserve } = desk();
    reserve();
    settlement.start();
    await Promise.all([clock.advance(20_000), settlement.pollNow(), settlement.pollNow(), settlement.pollNow()]);
    await settlement.stop();
    expect(node.mostAtOnce).toBe(1);
  });

  test('a node that never answers holds up no other chain', async () => {
    const nodes = { [CHAIN]: new ScriptedNode(50, SECONDS), 10: new ScriptedNode(50, SECONDS) };
    const { clock, settlement, reserve } = desk({ nodes });
    reserve();
    const other = reserve({ chainId: 10 });
    nodes[10].mine(HASH, PAYMASTER, 7n, 49);
    let answer = (): void => undefined;
    nodes[CHAIN].overrule = () => new Promise((resolve) => (answer = () => resolve(null)));
    settlement.start();
    await clock.advance(4_000);
    await clock.advance(4_000);
    expect(other.settlement).toBe('settled');
    answer();
    await settlement.stop();
  });

  test('stopping waits for the poll in flight, then nothing is asked, written or left waiting', async () => {
    const { node, store, clock, settlement, reserve } = desk({ maxRangeBlocks: 100 });
    const unread = reserve({ validUntil: SECONDS - 1_000 });
    store.cursors.set(CHAIN, 100);
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      node.overrule = (method) => {
        if (method !== 'eth_getLogs') return undefined;
        resolve();
        return new Promise((respond) => (answer = () => respond([])));
      };
    });
    settlement.start();
    await asked;
    let isStopped = false;
    const stopped = settlement.stop().then(() => (isStopped = true));
    await clock.advance(10_000);
    expect(isStopped).toBe(false);
    answer();
    await stopped;
    const { length } = node.asked;
    await clock.advance(100_000);
    expect(await settlement.pollNow()).toBe(false);
    expect([node.asked.length, clock.pending, store.cursors.get(CHAIN)]).toEqual([length, 0, 188]);
    expect(unread.settlement).toBe('reserved');
  });

  test('a failing store is reported in the log, and settlement continues when it works again', async () => {
    const { node, store, settlement, reserve, events } = desk();
    const decision = reserve();
    node.mine(HASH, PAYMASTER, 7n, node.head);
    const apply = store.applySettlements.bind(store);
    store.applySettlements = () => Promise.reject(new Error('disk full'));
    expect(await settlement.pollNow()).toBe(false);
    store.applySettlements = apply;
    expect(await settlement.pollNow()).toBe(true);
    expect(decision.settlement).toBe('settled');
    expect(events()).toEqual(['settlement.interrupted', 'settlement.resumed']);
  });
});
