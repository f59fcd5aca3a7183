import { command } from './command.ts';

/** `gasdesk demo` */
export const demoCommand = command('demo', 'Run a demonstration on a local chain, without keys or network')
  .option('--once', 'exit after the demonstration, non-zero if a step failed')
  .option('--no-open', 'do not open the playground in the browser, only print its address')
  .action(async ({ once = false, open }: { once?: boolean; open: boolean }) => {
    const { runDemo } = await import('../demo/run-demo.ts');
    await runDemo({ once, open });
  });
