import type { Ref } from 'vue';
import { useDesk } from './desk-store.ts';
import type { Dapp } from './types.ts';
import { useAction } from './use-action.ts';
import { useTransport } from '../transport/transport.ts';

/** Resumes all sponsorship, or pauses or resumes one DApp. The display is updated immediately. */
export const usePause = (): {
  isRunning: Readonly<Ref<boolean>>;
  error: Ref<string | undefined>;
  /** @returns false if it failed; the other functions do the same */
  resume: () => Promise<boolean>;
  pauseDapp: (dapp: Pick<Dapp, 'paymasterId' | 'name'>) => Promise<boolean>;
  resumeDapp: (dapp: Pick<Dapp, 'paymasterId' | 'name'>) => Promise<boolean>;
} => {
  const desk = useDesk();
  const transport = useTransport();
  const { isRunning, error, run } = useAction();
  const change = (act: () => Promise<unknown>, done: string): Promise<boolean> =>
    run(async () => {
      await act();
      await desk.refreshInfo();
    }, done);
  return {
    isRunning,
    error,
    resume: () => change(() => transport.call('system.resume', {}), 'Sponsorship resumed'),
    pauseDapp: ({ paymasterId, name }) =>
      change(() => transport.call('paymasters.pause', { paymasterId }), `Sponsorship for ${name} is paused`),
    resumeDapp: ({ paymasterId, name }) =>
      change(() => transport.call('paymasters.resume', { paymasterId }), `Sponsorship for ${name} resumed`),
  };
};
