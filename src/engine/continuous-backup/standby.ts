import { systemClock, systemEntropy } from '../base/clock.ts';
import type { Lease } from './lease.ts';
import { waitForLease } from './lease.ts';
import type { CopyTarget } from './target.ts';

/** The lead of a standby, under a name for its data folder. */
export interface StandbyLead {
  readonly holder: string;
  readonly lease: Lease;
}

/** Waits until the desk that leads is gone, and takes its lead. @param signal ends the waiting */
export const waitForLead = async (target: CopyTarget, signal: AbortSignal): Promise<StandbyLead> => {
  const holder = systemEntropy.uuid();
  return { holder, lease: await waitForLease({ target, holder, clock: systemClock }, signal) };
};
