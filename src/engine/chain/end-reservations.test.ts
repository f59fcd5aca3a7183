import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { MemorySettlementStore, type SponsoredDecision } from '../../../test/support/memory-settlement-store.ts';
import { ScriptedNode } from '../../../test/support/scripted-node.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { createLog } from '../base/log.ts';
import { RpcError } from './rpc.ts';
import { createSettlement } from './settlement.ts';

const CHAIN = 8_453;
const [ENTRY_POINT, PAYMASTER, ACCOUNT, STRANGER]: Address[] = ['ee', '9f', 'ac', '57'].map(
  (byte): Address => `0x${byte.repeat(20)}`,
) as [Address, Address, Address, Address];
const START = Date.UTC(2026, 0, 1);
const [HASH, OTHER]: Hex[] = ['a1', 'a2'].map((byte): Hex => `0x${byte.repeat(32)}`) as [Hex, Hex];
/** Validity of a signed operation, in seconds. */
const VALID_SECONDS = 300;
/** After this many seconds it has certainly expired. */
const LATER = VALID_SECONDS + 130;

const failure = (code = -32_000): never => {
  throw new RpcError(code, 'header not found', undefined);
};
const unreachable = (): never => {
  throw new EngineError('CHAIN_UNREACHABLE', 'The RPC cannot be reached');
};

const desk = () => {
  const node = new ScriptedNode(5_000, START / 1000);
  const store = new MemorySettlementStore();
  const clock = new ManualClock(START);
  const logged: string[] = [];
  const log = createLog({
    level: 'debug',
    write: (line) => logged.push((JSON.parse(line) as { event: string }).event),
  });
  const settlement = createSettlement({ store, chains: { rpc: async () => node }, clock, log });
  const slot = { entryPoint: ENTRY_POINT, sender: ACCOUNT };
  const reserve = (userOpHash: Hex = HASH, nonce = 0n): SponsoredDecision => {
    const [at, paymaster] = [clock.now(), PAYMASTER];
    const validUntil = at / 1000 + VALID_SECONDS;
    return store.reserve({ chainId: CHAIN, userOpHash, paymaster, ...slot, nonce, maxCost: 1_000n, validUntil, at });
  };
  return {
    node,
    store,
    clock,
    logged,
    reserve,
    poll: () => settlement.pollNow(),
    mine: (userOpHash: Hex = HASH, paymaster = PAYMASTER, nonce = 0n) =>
      node.mine(userOpHash, paymaster, 7n, node.head, { ...slot, nonce }),
    pass: async (seconds: number): Promise<void> => {
      node.grow(seconds);
      await clock.advance(seconds * 1000);
    },
    asked: (method: string): number => node.asked.filter((one) => one.method === method).length,
  };
};

/** Makes the node return no operation logs for certain blocks. */
const hideLogs = (node: ScriptedNode, isHidden: (block: number) => boolean, byHash: () => unknown = () => []): void => {
  node.overrule = (method, params) => {
    if (method !== 'eth_getLogs') return undefined;
    const [{ blockHash, fromBlock, toBlock }] = params as [Partial<Record<string, string>>];
    if (blockHash !== undefined) return byHash();
    const all = node.logsOf(Number(fromBlock), Number(toBlock));
    return all.filter(({ blockNumber }) => !isHidden(Number(blockNumber)));
  };
};

describe('an operation that was mined, and whose event the node leaves out,', () => {
  test('is never released: its nonce is used, so that it counts at its maximum', async () => {
    const { node, store, poll, pass, mine, reserve, logged } = desk();
    const decision = reserve();
    hideLogs(node, () => true);
    await poll();
    await pass(1);
    mine();
    await pass(LATER);
    expect(await poll()).toBe(true);
    expect(decision.history).toEqual(['reserved', 'unconfirmed']);
    expect([store.reservedWei, store.spentWei]).toEqual([0n, 1_000n]);
    expect(logged).toContain('settlement.unconfirmed');
  });

  test('is settled by its event however late that comes, as long as its block is one of the last ten minutes', async () => {
    const { node, store, poll, pass, mine, reserve } = desk();
    const decision = reserve();
    hideLogs(node, () => true);
    await poll();
    await pass(1);
    mine();
    await pass(LATER);
    await poll();
    expect(decision.settlement).toBe('unconfirmed');
    await pass(600 - LATER - 10);
    node.overrule = () => undefined;
    await poll();
    expect(decision.history).toEqual(['reserved', 'unconfirmed', 'settled']);
    expect(store.spentWei).toBe(7n);
  });

  test('is settled once the node answers for all blocks, though no poll read them again in time', async () => {
    const { node, poll, pass, mine, reserve } = desk();
    const decision = reserve();
    hideLogs(node, () => true, failure);
    await poll();
    await pass(1);
    mine();
    await pass(3_000);
    await poll();
    // The node reports that it lacks the block, so its empty list of logs proves nothing.
    expect(decision.settlement).toBe('reserved');
    node.overrule = () => undefined;
    await pass(61);
    await poll();
    expect(decision.history).toEqual(['reserved', 'settled']);
  });

  test('is settled a minute after it was missed, without an expiry', async () => {
    const { node, poll, pass, mine, reserve } = desk();
    const decision = reserve();
    await poll();
    await pass(60);
    mine();
    // The node that answers is sixteen blocks behind, while each poll reads only the last twelve blocks again.
    await pass(13);
    hideLogs(node, (block) => block > node.head - 16);
    await poll();
    await pass(16);
    await poll();
    expect(decision.settlement).toBe('reserved');
    await pass(60);
    await poll();
    expect(decision.history).toEqual(['reserved', 'settled']);
  });

  test.each([
    ['a single block for ever', (block: number) => block === 5_000],
    ['every block', () => true],
  ])('in %s, does not end as released, whatever re-orgs come', async (_what, isHidden) => {
    const { node, store, poll, pass, mine, reserve } = desk();
    const decision = reserve();
    hideLogs(node, isHidden);
    await poll();
    await pass(1);
    mine();
    await pass(3);
    node.takeBack(2);
    await pass(LATER);
    await poll();
    await pass(100);
    await poll();
    expect(decision.history).not.toContain('released');
    expect(store.reservedWei + store.spentWei).toBe(1_000n);
  });
});

describe('a nonce that something else has used', () => {
  test.each<[string, Address | undefined]>([
    ['the account paid for itself', `0x${'00'.repeat(20)}`],
    ['another paymaster paid for', STRANGER],
  ])('in an operation that %s releases the reservation', async (_what, payer) => {
    const { poll, pass, mine, reserve } = desk();
    const decision = reserve();
    await poll();
    await pass(1);
    mine(OTHER, payer);
    await pass(LATER);
    await poll();
    expect(decision.history).toEqual(['reserved', 'released']);
  });

  test('in another operation of ours, seen only when it is looked for, settles that one and releases this one', async () => {
    const { node, store, poll, pass, mine, reserve } = desk();
    const [decision, other] = [reserve(HASH), reserve(OTHER)];
    await poll();
    await pass(1);
    mine(OTHER);
    // No poll sees the logs of that block.
    hideLogs(node, () => true);
    await pass(700);
    node.overrule = (method, params) =>
      method === 'eth_getLogs' && JSON.stringify(params).includes('null,null') ? [] : undefined;
    await poll();
    expect([decision.settlement, other.settlement]).toEqual(['released', 'settled']);
    expect(store.spentWei).toBe(7n);
  });

  test('in an operation that no decision fits leaves all that it may be unconfirmed', async () => {
    const { node, poll, pass, mine, reserve, logged } = desk();
    const decisions = [reserve(HASH), reserve(OTHER)];
    await poll();
    await pass(1);
    mine(`0x${'a9'.repeat(32)}`);
    hideLogs(node, () => true);
    await pass(700);
    node.overrule = (method, params) =>
      method === 'eth_getLogs' && JSON.stringify(params).includes('null,null') ? [] : undefined;
    await poll();
    expect(decisions.map(({ settlement }) => settlement)).toEqual(['unconfirmed', 'unconfirmed']);
    expect(logged).toContain('settlement.unmatched');
  });
});

describe('if the node does not return the nonce', () => {
  test.each<[string, () => unknown]>([
    ['since it does not have the block', () => failure(-32_001)],
    ['since it has pruned its state', failure],
    ['since the way to it fails', unreachable],
    ['for it answers nonsense', () => '0x'],
  ])('%s, it is asked again each minute, and after an hour the reservation is unconfirmed', async (_what, answer) => {
    const { node, poll, pass, reserve, asked } = desk();
    const decision = reserve();
    await poll();
    await pass(LATER);
    node.overrule = (method) => (method === 'eth_call' ? answer() : undefined);
    const calls: number[] = [];
    for (let minute = 0; minute < 60; minute += 1) {
      expect(await poll()).toBe(true);
      await pass(30);
      await poll();
      calls.push(asked('eth_call'));
      expect(decision.settlement).toBe('reserved');
      await pass(30);
    }
    expect(calls).toEqual(calls.map((_, minute) => minute + 1));
    await poll();
    expect(decision.history).toEqual(['reserved', 'unconfirmed']);
  });

  test('nothing else waits for it, and it is released as soon as it is reported', async () => {
    const { node, poll, pass, reserve } = desk();
    const [silent, ...others] = Array.from({ length: 25 }, (_, nth) => reserve(HASH, BigInt(nth) << 64n));
    await poll();
    await pass(LATER);
    let isFirst = true;
    node.overrule = (method) => {
      if (method !== 'eth_call' || !isFirst) return undefined;
      isFirst = false;
      return failure();
    };
    await poll();
    expect(silent!.settlement).toBe('reserved');
    expect(others.map(({ settlement }) => settlement)).toEqual(others.map(() => 'released'));
    await pass(61);
    await poll();
    expect(silent!.history).toEqual(['reserved', 'released']);
  });
});

describe('what a provider is asked', () => {
  test('a poll asks for at most 100 nonces, and the next poll continues', async () => {
    const { poll, pass, reserve, asked, store } = desk();
    for (let nth = 0; nth < 250; nth += 1) reserve(HASH, BigInt(nth) << 64n);
    await poll();
    await pass(LATER);
    const calls: number[] = [];
    for (let times = 0; times < 4; times += 1) {
      await poll();
      calls.push(asked('eth_call'));
    }
    expect(calls).toEqual([100, 200, 250, 250]);
    expect([store.reservedWei, store.spentWei]).toEqual([0n, 0n]);
  });

  test('is the state of a block that was the head half a minute before, by its hash', async () => {
    const { node, poll, pass, reserve } = desk();
    reserve();
    for (let second = 0; second < LATER; second += 10) {
      await poll();
      await pass(10);
    }
    await poll();
    const call = node.asked.find(({ method }) => method === 'eth_call')!;
    const [, { blockHash }] = call.params as [unknown, { blockHash: string }];
    const seconds = node.timeOf(node.head) - node.timeOf(node.blockWith(blockHash));
    expect(seconds).toBeGreaterThanOrEqual(30);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  test('on a chain of a block each second, the last ten minutes are read again once a minute, else twelve blocks', async () => {
    const { node, poll, pass, reserve } = desk();
    reserve();
    await poll();
    const before = node.ranges.length;
    for (let second = 0; second < 120; second += 4) {
      await pass(4);
      await poll();
    }
    const blocks = node.ranges.slice(before);
    expect(blocks).toHaveLength(30);
    const wide = blocks.filter((asked) => asked > 16);
    expect(wide).toHaveLength(2);
    for (const asked of wide) {
      expect(asked).toBeGreaterThanOrEqual(600);
      expect(asked).toBeLessThanOrEqual(2_400);
    }
  });

  test('a search for what used nonces ends after 300 requests for logs', async () => {
    const { node, poll, pass, mine, reserve, asked } = desk();
    const decision = reserve();
    await poll();
    await pass(1);
    mine();
    hideLogs(node, () => true);
    await pass(LATER);
    const hidden = node.overrule;
    node.overrule = (method, params) => {
      const [{ topics, fromBlock, toBlock }] = params as [{ topics?: unknown[]; fromBlock?: string; toBlock?: string }];
      const isWideSearch = method === 'eth_getLogs' && Array.isArray(topics?.[2]) && toBlock !== fromBlock;
      return isWideSearch ? failure() : hidden(method, params);
    };
    const before = asked('eth_getLogs');
    await poll();
    expect(decision.settlement).toBe('unconfirmed');
    // A poll searches at most 300 times. In addition, each refused request takes one more, the block is requested by
    // hash, and each poll has its regular reads.
    expect(asked('eth_getLogs') - before).toBeGreaterThan(300);
    expect(asked('eth_getLogs') - before).toBeLessThan(700);
  });
});
