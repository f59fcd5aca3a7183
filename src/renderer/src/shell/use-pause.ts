import type { Ref } from 'vue';
import { useDesk } from '../desk/desk-store.ts';
import { useAction } from '../desk/use-action.ts';
import { useTransport } from '../transport/transport.ts';

/** Pausing and resuming all sponsorship; what is shown of it follows at once. */
export const usePause = (): {
  isRunning: Readonly<Ref<boolean>>;
  fault: Ref<string | undefined>;
  /** @returns false if it failed */
  pause: (reason: string) => Promise<boolean>;
  resume: () => Promise<boolean>;
} => {
  const desk = useDesk();
  const transport = useTransport();
  const { isRunning, fault, run } = useAction();
  return {
    isRunning,
    fault,
    pause: (reason) =>
      run(async () => {
        await transport.call('system.pause', { reason });
        await desk.refreshInfo();
      }, 'All sponsorship is paused'),
    resume: () =>
      run(async () => {
        await transport.call('system.resume', {});
        await desk.refreshInfo();
      }, 'Operations are sponsored again'),
  };
};
