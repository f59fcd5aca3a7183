import { once } from 'node:events';
import { decidingRules } from '../core/rule-words.ts';
import { tellSponsorship } from './sponsored-story.ts';
import { createStory } from './story.ts';
import { tellTokenPayment } from './token-story.ts';
import { type World, ether, startWorld } from './world.ts';

const tellDecisions = async ({ story, engine }: World): Promise<void> => {
  story.step('What the desk wrote down');
  const decisions = await engine.service.call('decisions.list', {});
  for (const { seq, outcome, code, maxCostWei } of [...decisions].reverse()) {
    story.tell(`#${seq} ${outcome}`, `${code}, at most ${ether(BigInt(maxCostWei ?? 0))}`);
  }
  const denying = new Set(decisions.filter(({ outcome }) => outcome === 'denied').map(({ rule }) => rule));
  story.check(
    decidingRules.every((rule) => denying.has(rule)),
    'every rule has denied an operation',
  );
  const signed = decisions.filter(({ outcome }) => outcome === 'sponsored').map(({ mode }) => mode);
  story.check(signed.sort().join() === 'ERC20,SPONSORED', 'one operation is sponsored, and one paid in a token');
};

/** Ends on Ctrl-C or `kill`. */
const interrupted = (): Promise<unknown> => Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);

/**
 * The main job on a local chain, told in the terminal with figures read from the chain. Needs no key and no network.
 *
 * With `once` it returns after the story; else the desk stays up until it is interrupted.
 *
 * @throws Error if any step is not as told
 */
export const runDemo = async ({ once: exit }: { once: boolean }): Promise<void> => {
  const ends: (() => unknown)[] = [];
  try {
    const world = await startWorld(
      createStory((line) => console.log(line)),
      (end) => ends.push(end),
    );
    const account = await tellSponsorship(world);
    await tellTokenPayment(world, account);
    await tellDecisions(world);

    console.log('\nAll as told.');
    if (!exit) {
      console.log(`The desk stays up at ${world.url}; Ctrl-C ends it. Open its console in the browser:`);
      console.log(`${world.url}/console/#token=${world.engine.operatorToken.reveal()}`);
    }
    if (!exit) await interrupted();
  } finally {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }
};
