import { command, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';

interface PauseFlags {
  paymaster?: string;
  reason?: string;
}

/** `gasdesk pause` */
export const pauseCommand = command(
  'pause',
  'Pause all sponsorship, or one DApp: Gasdesk signs nothing until you resume',
)
  .option('--paymaster <id>', 'only this DApp, by its paymasterId')
  .option('--reason <text>', 'reason, shown in the console and stored with each denial')
  .action(({ paymaster: paymasterId, reason, ...options }: DeskOptions & PauseFlags) =>
    printFromDesk(options, async (call) => {
      const why = reason === undefined ? {} : { reason };
      if (paymasterId === undefined) return { paused: true, ...(await call('system.pause', why)) };
      return { paymasterId, paused: true, ...(await call('paymasters.pause', { paymasterId, ...why })) };
    }),
  );

/** `gasdesk resume` */
export const resumeCommand = command('resume', 'Resume all sponsorship, or one DApp')
  .option('--paymaster <id>', 'only this DApp, by its paymasterId')
  .action(({ paymaster: paymasterId, ...options }: DeskOptions & PauseFlags) =>
    printFromDesk(options, async (call) => {
      if (paymasterId === undefined) await call('system.resume', {});
      else await call('paymasters.resume', { paymasterId });
      return { ...(paymasterId !== undefined && { paymasterId }), paused: false };
    }),
  );
