import { runDemo } from '../demo/run-demo.ts';
import { command } from './command.ts';

/** `gasdesk demo` */
export const demoCommand = command('demo', 'Tell the main job on a local chain, with no key and no network')
  .option('--once', 'exit after the story, non-zero if any step was not as told')
  .action(({ once = false }: { once?: boolean }) => runDemo({ once }));
