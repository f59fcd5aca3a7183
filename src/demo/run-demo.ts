import { once as onceEmitted } from 'node:events';
import { openInBrowser } from './open-in-browser.ts';
import { servePlayground } from './playground-server.ts';
import { narrateStory } from './stage.ts';
import { createStory } from './story.ts';

/** Resolves on Ctrl-C or `kill`. */
const interrupted = (): Promise<unknown> =>
  Promise.race([onceEmitted(process, 'SIGINT'), onceEmitted(process, 'SIGTERM')]);

/** What the demo does when the story has ended. */
interface DemoOptions {
  /** Whether it exits. */
  readonly once: boolean;
  /** Whether it opens the playground in the default browser. */
  readonly open: boolean;
}

/**
 * Shows in the terminal what Gasdesk does, on a local chain, with figures from that chain. Needs no key and no network.
 *
 * With `once`, returns after the story. Otherwise, serves the playground until it is interrupted.
 *
 * @throws Error if a step fails
 */
export const runDemo = async ({ once, open }: DemoOptions): Promise<void> => {
  const stage = await narrateStory(createStory((line) => console.log(line)));
  console.log('\nAll steps succeeded.');
  await stage.end();
  if (once) return;
  const playground = await servePlayground();
  try {
    console.log(`The playground is at ${playground.url}\nCtrl-C ends it.`);
    if (open) openInBrowser(playground.url);
    await interrupted();
  } finally {
    await playground.stop();
  }
};
