import { EngineError } from '../../shared/errors.ts';
import { currentPolicy } from '../sponsorship/current-policy.ts';
import type { Dapp } from '../store/registry-store.ts';
import type { ServiceContext } from './service.ts';

export interface PolicyRecorder {
  /** Records the policy of every DApp that may have changed since the last call. Costs little if no policy has. */
  catchUp(): Promise<void>;
}

/**
 * Every change to the settings goes through a procedure of the service, or through the store, which counts changes. So
 * it is sufficient to call this after each procedure, and procedures need not do it themselves.
 */
export const createPolicyRecorder = (
  context: Pick<ServiceContext, 'store' | 'config' | 'clock' | 'log'>,
): PolicyRecorder => {
  const { store, config, clock, log } = context;
  const stamp = (count: number): string => `${count} ${config.outstandingSharePercent}`;
  const written = new Map<string, string>();
  let last = stamp(0);
  let running: Promise<void> = Promise.resolve();

  const record = async (dapp: Dapp): Promise<void> => {
    const { paymasterId } = dapp;
    const version = stamp(await store.settingsVersion(dapp));
    if (written.get(paymasterId) === version) return;
    try {
      await store.recordPolicy(paymasterId, await currentPolicy(context, dapp), clock.now());
    } catch (error) {
      // A rule comes from a newer version of Gasdesk. No decision uses such a policy.
      if (!(error instanceof EngineError && error.code === 'PAYMASTER_NOT_READY')) throw error;
    }
    written.set(paymasterId, version);
  };

  const recordAll = async (): Promise<void> => {
    const now = stamp(await store.settingsChanges());
    if (now === last) return;
    const errors: unknown[] = [];
    for (const dapp of await store.listDapps()) {
      // What is wrong with one DApp's policy leaves the revisions of the others complete.
      await record(dapp).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
    last = now;
  };

  return {
    async catchUp() {
      if (stamp(await store.settingsChanges()) === last) return;
      // Only one run at a time: of two simultaneous runs, one could record an older policy after a newer one.
      running = running.then(recordAll).catch((err: unknown) => {
        // The procedure itself has succeeded. The next one retries the recording.
        log.warn('policy.notRecorded', { err });
      });
      await running;
    },
  };
};
