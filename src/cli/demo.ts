import { command } from './command.ts';

/** `gasdesk demo` */
export const demoCommand = command('demo', 'Tell the main job on a local chain, with no key and no network')
  .option('--once', 'exit after the story, non-zero if any step was not as told')
  .action(async ({ once = false }: { once?: boolean }) => {
    const { runDemo } = await import('../demo/run-demo.ts');
    await runDemo({ once });
  });
