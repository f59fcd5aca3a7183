import { decidingRules } from '../core/decision/rule-words.ts';
import type { Dapp } from './dapp.ts';
import { createEnds } from './ends.ts';
import { limitAmounts, narrateSponsorship, prepareDapp, prepareDesk, sponsorDeployments } from './sponsored-story.ts';
import { type Story, createStory } from './story.ts';
import { type TokenShop, acceptTokens, narrateTokenPayment, openShop } from './token-story.ts';
import { type StageOptions, type World, ether, startWorld } from './world.ts';

/** A chain and a Gasdesk with two DApps. */
export interface Stage {
  readonly world: World;
  readonly dapp: Dapp;
  /** The DApp whose users pay in a token. */
  readonly shop: TokenShop;
  /** Ends the chain and Gasdesk, and removes their files. */
  end(): Promise<void>;
}

const narrateDecisions = async ({ story, engine }: World): Promise<void> => {
  story.step('What Gasdesk recorded');
  const decisions = await engine.service.call('decisions.list', {});
  for (const { seq, outcome, code, maxCostWei } of [...decisions].reverse()) {
    const cost = maxCostWei === null ? '' : `, at most ${ether(BigInt(maxCostWei))}`;
    story.print(`#${seq} ${outcome}`, `${code}${cost}`);
  }
  const denying = new Set(decisions.filter(({ outcome }) => outcome === 'denied').map(({ rule }) => rule));
  story.check(
    decidingRules.every((rule) => denying.has(rule)),
    'every rule has denied an operation',
  );
  const signed = decisions.filter(({ outcome }) => outcome === 'sponsored').map(({ mode }) => mode);
  story.check(signed.sort().join() === 'ERC20,SPONSORED', 'one operation is sponsored, and one paid in a token');
};

/** Builds a stage in a new world, and removes the world if that fails. */
const stageIn = async (
  story: Story,
  options: StageOptions,
  build: (world: World) => Promise<Pick<Stage, 'dapp' | 'shop'>>,
): Promise<Stage> => {
  const ends = createEnds();
  const end = (): Promise<void> => ends.all();
  try {
    const world = await startWorld(story, (step) => ends.add(step), options);
    return { world, ...(await build(world)), end };
  } catch (error) {
    await end();
    throw error;
  }
};

/**
 * Plays the story on a new local chain, with figures from that chain.
 *
 * @throws Error if a step fails, after everything has been removed
 */
export const narrateStory = (story: Story): Promise<Stage> =>
  stageIn(story, {}, async (world) => {
    const { dapp, account } = await narrateSponsorship(world);
    const shop = await narrateTokenPayment(world, account);
    await narrateDecisions(world);
    return { dapp, shop };
  });

/**
 * Sets up the DApps of the story on a new local chain, without a decision so far.
 *
 * @throws Error if a step fails, after everything has been removed
 */
export const prepareStage = (options: StageOptions): Promise<Stage> =>
  stageIn(
    createStory(() => undefined),
    options,
    async (world) => {
      const dapp = await prepareDapp(world, await prepareDesk(world));
      await sponsorDeployments(dapp);
      await limitAmounts(dapp);
      const shop = await openShop(world);
      await acceptTokens(world, shop);
      return { dapp, shop };
    },
  );
