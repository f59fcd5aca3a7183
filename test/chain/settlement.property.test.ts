import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Hex } from '../../src/shared/schema/hex.ts';
import {
  type SettlementDesk,
  type SettlementWorld,
  type SponsoredOperation,
  useSettlementWorld,
} from '../support/settlement-world.ts';
import { firstOf } from '../support/combinations.ts';

/** As deep as re-orgs between two polls may be in all. */
const OVERLAP = 12;
const LONG = 1_000_000;

/** What the chain holds, by our own account. */
interface Story extends SettlementWorld {
  readonly firstBlock: number;
  readonly running: SettlementDesk;
  readonly sponsored: SponsoredOperation[];
  readonly onChain: Map<SponsoredOperation, OnChain>;
  /** The block in which each nonce was used by an operation that the account paid for. */
  readonly used: Map<bigint, number>;
  /** Hashes whose operations the desk has seen openly. A re-org does not change what they stand for. */
  readonly seen: Set<Hex>;
}

/** An operation that is on the chain now. */
interface OnChain {
  readonly block: number;
  readonly hash: Hex;
  readonly cost: bigint;
  /** Where no one can tell which it was: all it may have been. */
  readonly mayBe: readonly SponsoredOperation[] | undefined;
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('sponsor' as const),
      insteadOf: fc.option(fc.nat(20)),
      endless: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('mine' as const),
      which: fc.nat(20),
      behind: fc.constantFrom<Hex>('0x', '0x00', `0x${'00'.repeat(32)}`),
      scrambled: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('use nonce' as const), which: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('poll' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('grow' as const), blocks: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('re-org' as const), depth: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('shorten' as const), depth: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('cut' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('mend' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restart' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Takes the newest blocks off the chain, unless that would be more than settlement promises to notice. */
const takeBack = async (story: Story, method: 'anvil_reorg' | 'anvil_rollback', depth: number): Promise<void> => {
  const firstGone = (await story.head()).number - depth + 1;
  const cursor = story.running.store.cursors.get(story.chain.chainId) ?? 0;
  if (firstGone <= story.firstBlock || firstGone <= cursor - OVERLAP) return;
  await story.rpc.send(method, method === 'anvil_reorg' ? [depth, []] : [depth]);
  for (const [operation, { block }] of story.onChain) if (block >= firstGone) story.onChain.delete(operation);
  for (const [nonce, block] of story.used) if (block >= firstGone) story.used.delete(nonce);
};

const isSameSlot = ({ decision: one }: SponsoredOperation, { decision: two }: SponsoredOperation): boolean =>
  one.nonce === two.nonce && one.paymaster === two.paymaster;

/** False while the chain holds an operation of that nonce. */
const isMinable = ({ onChain, used }: Story, { op }: SponsoredOperation): boolean =>
  !used.has(op.nonce) && ![...onChain.keys()].some((other) => other.op.nonce === op.nonce);

const sponsor = async (story: Story, { insteadOf: which, endless }: Step & { does: 'sponsor' }): Promise<void> => {
  const { running, sponsored } = story;
  const other = which === null ? undefined : sponsored[which % sponsored.length];
  // What is signed for a nonce that is used already is another story, which expiry ends.
  const insteadOf = other !== undefined && isMinable(story, other) ? other : undefined;
  sponsored.push(await running.sponsor(LONG, { insteadOf, endless }));
};

const mine = async (story: Story, { which, ...how }: Step & { does: 'mine' }): Promise<void> => {
  const { sponsored, onChain, seen } = story;
  const operation = sponsored[which % sponsored.length];
  if (operation === undefined || !isMinable(story, operation)) return;
  const { actualGasCost: cost, blockNumber: block, userOpHash: hash } = await story.mine(operation, how);
  const isHidden = how.scrambled && how.behind !== '0x' && !seen.has(hash);
  const mayBe = isHidden ? sponsored.filter((one) => isSameSlot(one, operation)) : undefined;
  onChain.set(operation, { block, hash, cost, mayBe });
};

/** False if the chain could not be asked. A line that was mended may have a dead connection, found when it is used. */
const poll = async ({ running, onChain, seen }: Story): Promise<boolean> => {
  const isRead = (await running.poll()) || (await running.poll());
  if (isRead) for (const { hash, mayBe } of onChain.values()) if (mayBe === undefined) seen.add(hash);
  return isRead;
};

const useNonce = async (story: Story, { which }: Step & { does: 'use nonce' }): Promise<void> => {
  const operation = story.sponsored[which % story.sponsored.length];
  if (operation === undefined || !isMinable(story, operation)) return;
  await story.useNonce(operation);
  story.used.set(operation.op.nonce, (await story.head()).number);
};

const take = async (story: Story, now: Step): Promise<unknown> => {
  const { running, line } = story;
  switch (now.does) {
    case 'sponsor':
      return sponsor(story, now);
    case 'mine':
      return mine(story, now);
    case 'use nonce':
      return useNonce(story, now);
    case 'poll':
      return poll(story);
    case 'grow':
      return story.mineEmpty(now.blocks);
    case 're-org':
      return takeBack(story, 'anvil_reorg', now.depth);
    case 'shorten':
      return takeBack(story, 'anvil_rollback', now.depth);
    case 'cut':
      return line.cut();
    case 'mend':
      return line.mend();
    case 'restart':
      return running.restart();
  }
};

/** What became of each operation, and what they cost in all. */
const agrees = ({ running: { store }, sponsored, onChain }: Story): void => {
  let spent = 0n;
  const known = [...onChain].filter(([, { mayBe }]) => mayBe === undefined);
  for (const [{ decision }, { cost, block }] of known) {
    expect(decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost: cost, blockNumber: block } });
    spent += cost;
  }
  for (const { decision } of [...onChain.values()].flatMap(({ mayBe = [] }) => mayBe)) {
    expect(decision.settlement).toBe('unconfirmed');
    spent += decision.maxCost;
  }
  expect(store.spentWei).toBe(spent);
  const reserved = sponsored.filter(({ decision }) => decision.settlement === 'reserved');
  expect(store.reservedWei).toBe(reserved.reduce((sum, { decision }) => sum + decision.maxCost, 0n));
  const over = sponsored.filter(({ decision }) => ['settled', 'unconfirmed'].includes(decision.settlement));
  expect(over).toHaveLength(known.length + [...onChain.values()].flatMap(({ mayBe = [] }) => mayBe).length);
};

const tell = async (told: Story, steps: Step[]): Promise<void> => {
  for (const now of steps) await take(told, now);
  const { running, sponsored, onChain, used, line } = told;
  await line.mend();
  if (sponsored.length === 0) return;
  expect(await poll(told)).toBe(true);
  agrees(told);
  for (const { decision } of sponsored) expect(decision.settlement).not.toBe('released');

  await told.pass(LONG + 1_000);
  await told.mineEmpty(OVERLAP);
  await running.clock.advance(4 * LONG * 1_000);
  for (let times = 0; times < 3; times += 1) {
    await running.clock.advance(60_000);
    expect(await running.poll()).toBe(true);
  }
  agrees(told);
  const minedNonces = new Set([...onChain.keys()].map(({ op }) => op.nonce));
  for (const { decision } of sponsored) {
    const isOver = decision.validUntil !== 0 || used.has(decision.nonce) || minedNonces.has(decision.nonce);
    if (!isOver) expect(decision.settlement).toBe('reserved');
    else expect(decision.settlement).not.toBe('reserved');
    const releases = decision.history.filter((settlement) => settlement === 'released');
    expect(releases).toHaveLength(decision.settlement === 'released' ? 1 : 0);
  }
};

// Each has a chain of its own, for it lasts for a few stories only.
describe.each(firstOf([17, 3, 2_000]))('reading %i blocks at once', (maxRangeBlocks) => {
  const world = useSettlementWorld();

  test('each mined operation is paid for once and no other, whatever chain, line and desk go through', async () => {
    const story = async (steps: Step[]): Promise<void> => {
      const running = await world().desk({ maxRangeBlocks });
      const firstBlock = (await world().head()).number;
      try {
        const empty = { sponsored: [], onChain: new Map(), used: new Map(), seen: new Set<Hex>() };
        await tell({ ...world(), firstBlock, running, ...empty }, steps);
      } finally {
        await world().line.mend();
        await running.stop();
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30, size: 'max' }), story), {
      numRuns: 10,
      // Shrinking would wear the chain out.
      endOnFailure: true,
    });
  });
});
