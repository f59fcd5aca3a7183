import { EngineError } from '../../shared/errors.ts';
import { currentPolicy } from '../sponsorship/current-policy.ts';
import type { Paymaster } from '../store/registry-store.ts';
import type { ServiceContext } from './service.ts';

/** Writes down which policies come into force. */
export interface PolicyRecorder {
  /** Writes down the policy of every DApp that may have changed since the last time. Cheap where nothing has. */
  catchUp(): Promise<void>;
}

/**
 * Every change of what decides goes through a procedure of the service, or through the store below it, which counts it:
 * so what is to be written down is found at the one door, after each procedure, and no procedure has to think of it.
 */
export const createPolicyRecorder = (
  context: Pick<ServiceContext, 'store' | 'config' | 'clock' | 'log'>,
): PolicyRecorder => {
  const { store, config, clock, log } = context;
  const stamp = (count: number): string => `${count} ${config.outstandingSharePercent}`;
  /** What the settings of each DApp were when its policy was last written down. */
  const written = new Map<string, string>();
  let last = stamp(0);
  let running: Promise<void> = Promise.resolve();

  const record = async (paymaster: Paymaster): Promise<void> => {
    const { paymasterId } = paymaster;
    const version = stamp(await store.settingsVersion(paymaster));
    if (written.get(paymasterId) === version) return;
    try {
      await store.recordPolicy(paymasterId, await currentPolicy(context, paymaster), clock.now());
    } catch (error) {
      // A rule of a newer Gasdesk: nothing is decided by such a policy.
      if (!(error instanceof EngineError && error.code === 'PAYMASTER_NOT_READY')) throw error;
    }
    written.set(paymasterId, version);
  };

  const recordAll = async (): Promise<void> => {
    const now = stamp(await store.settingsChanges());
    if (now === last) return;
    for (const paymaster of await store.listPaymasters()) await record(paymaster);
    last = now;
  };

  return {
    async catchUp() {
      if (stamp(await store.settingsChanges()) === last) return;
      // One after the other: two at once could write an older policy after a newer one.
      running = running.then(recordAll).catch((err: unknown) => {
        // What was asked for is done, and the next procedure tries again.
        log.warn('policy.notRecorded', { err });
      });
      await running;
    },
  };
};
