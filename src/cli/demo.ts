import { command } from './command.ts';

/** `gasdesk demo` */
export const demoCommand = command(
  'demo',
  'Tell the main job on a local chain, with no key and no network, then open a playground in the browser',
)
  .option('--once', 'exit after the story, non-zero if any step was not as told')
  .option('--no-open', 'do not open the playground in the browser; its address is printed in any case')
  .action(async ({ once = false, open }: { once?: boolean; open: boolean }) => {
    const { runDemo } = await import('../demo/run-demo.ts');
    await runDemo({ once, open });
  });
