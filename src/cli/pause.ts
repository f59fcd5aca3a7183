import type { Caller } from '../api/index.ts';
import { command, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';
import { withIds } from './names.ts';

interface PauseFlags {
  dapp?: string;
  reason?: string;
}

/** The DApp that the flag names, if it names one. */
const oneDapp = (call: Caller, { dapp }: PauseFlags): Promise<{ readonly paymasterId?: string }> =>
  withIds(call, dapp === undefined ? {} : { paymasterId: dapp });

const ONLY = ['--dapp <dapp>', 'only this DApp: its name, or its id'] as const;

/** `gasdesk pause` */
export const pauseCommand = command(
  'pause',
  'Pause all sponsorship, or one DApp: Gasdesk signs nothing until you resume',
)
  .option(...ONLY)
  .option('--reason <text>', 'reason, shown in the console and stored with each denial')
  .action((options: DeskOptions & PauseFlags) =>
    printFromDesk(options, async (call) => {
      const { paymasterId } = await oneDapp(call, options);
      const why = options.reason === undefined ? {} : { reason: options.reason };
      if (paymasterId === undefined) return { paused: true, ...(await call('system.pause', why)) };
      return { paymasterId, paused: true, ...(await call('paymasters.pause', { paymasterId, ...why })) };
    }),
  );

/** `gasdesk resume` */
export const resumeCommand = command(
  'resume',
  'Resume all sponsorship, and every DApp that the breaker of its chain has paused; or one DApp',
)
  .option(...ONLY)
  .action((options: DeskOptions & PauseFlags) =>
    printFromDesk(options, async (call) => {
      const { paymasterId } = await oneDapp(call, options);
      if (paymasterId === undefined) await call('system.resume', {});
      else await call('paymasters.resume', { paymasterId });
      return { ...(paymasterId !== undefined && { paymasterId }), paused: false };
    }),
  );
