import { command, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

/** `gasdesk pause` */
export const pauseCommand = command('pause', 'Pause all sponsorship: nothing is signed until it is resumed')
  .option('--reason <text>', 'why; it is shown in the console and kept with each denial')
  .action(({ reason, ...options }: DeskOptions & { reason?: string }) =>
    printFromDesk(options, async (call) => ({
      paused: true,
      ...(await call('system.pause', reason === undefined ? {} : { reason })),
    })),
  );

/** `gasdesk resume` */
export const resumeCommand = command('resume', 'End the pause of all sponsorship').action((options: DeskOptions) =>
  printFromDesk(options, async (call) => {
    await call('system.resume', {});
    return { paused: false };
  }),
);
