import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type SettlementDesk,
  type SettlementWorld,
  type SponsoredOperation,
  useSettlementWorld,
} from '../support/settlement-world.ts';

/** As deep as re-orgs between two polls may be in all. */
const OVERLAP = 12;
const LONG = 1_000_000;

/** What the chain holds, by our own account. */
interface Story extends SettlementWorld {
  readonly firstBlock: number;
  readonly running: SettlementDesk;
  readonly sponsored: SponsoredOperation[];
  /** Block and cost of each operation that is on the chain now. */
  readonly onChain: Map<SponsoredOperation, { block: number; cost: bigint }>;
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('sponsor' as const) }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('mine' as const), which: fc.nat(20) }) },
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
};

const take = async (story: Story, now: Step): Promise<unknown> => {
  const { running, sponsored, onChain, line } = story;
  switch (now.does) {
    case 'sponsor':
      return sponsored.push(await running.sponsor(LONG));
    case 'mine': {
      const operation = sponsored[now.which % sponsored.length];
      if (operation === undefined || onChain.has(operation)) return undefined;
      const { actualGasCost: cost, blockNumber: block } = await story.mine(operation);
      return onChain.set(operation, { block, cost });
    }
    case 'poll':
      return running.poll();
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

const agrees = ({ running: { store }, sponsored, onChain }: Story): void => {
  const spent = [...onChain.values()].reduce((sum, { cost }) => sum + cost, 0n);
  const open = sponsored.filter((operation) => !onChain.has(operation));
  for (const [{ decision }, { cost, block }] of onChain) {
    expect(decision).toMatchObject({ settlement: 'settled', mined: { actualGasCost: cost, blockNumber: block } });
  }
  expect(store.spentWei).toBe(spent);
  const promised = open.filter(({ decision }) => decision.settlement === 'reserved');
  expect(store.reservedWei).toBe(promised.reduce((sum, { decision }) => sum + decision.maxCost, 0n));
};

const tell = async (told: Story, steps: Step[]): Promise<void> => {
  for (const now of steps) await take(told, now);
  const { running, sponsored, onChain, line } = told;
  await line.mend();
  if (sponsored.length === 0) return;
  // A connection that was cut a moment ago may be found dead only when it is used.
  expect((await running.poll()) || (await running.poll())).toBe(true);
  agrees(told);
  for (const { decision } of sponsored) expect(decision.settlement).not.toBe('released');

  await told.pass(LONG + 1_000);
  expect(await running.poll()).toBe(true);
  expect(await running.poll()).toBe(true);
  agrees(told);
  expect(running.store.reservedWei).toBe(0n);
  for (const operation of sponsored) {
    const releases = operation.decision.history.filter((settlement) => settlement === 'released');
    expect(releases).toHaveLength(onChain.has(operation) ? 0 : 1);
  }
};

// Each has a chain of its own, for it lasts for a few stories only.
describe.each([3, 17, 2_000])('reading %i blocks at once', (maxRangeBlocks) => {
  const world = useSettlementWorld();

  test('each mined operation is paid for once and no other, whatever chain, line and desk go through', async () => {
    const story = async (steps: Step[]): Promise<void> => {
      const running = await world().desk({ maxRangeBlocks });
      const firstBlock = (await world().head()).number;
      try {
        await tell({ ...world(), firstBlock, running, sponsored: [], onChain: new Map() }, steps);
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
