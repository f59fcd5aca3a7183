import { systemClock } from '../base/clock.ts';
import type { Secret } from '../base/secret.ts';
import { waitForLead } from '../continuous-backup/standby.ts';
import { leaseTarget, saveHolder } from '../continuous-backup/take-lead.ts';
import { restoreBackup } from './restore.ts';

interface StandbyOrder {
  /** Folder of the continuous backup. */
  readonly target: string;
  readonly passphrase: Secret<string>;
  readonly dir: string;
  readonly signal: AbortSignal;
}

const NO_S3 = { endpoint: '', region: '', accessKeyId: '', secretAccessKey: '' };

/**
 * Waits until the desk that copies to a target is gone, takes its lead, and restores the copy into a data folder. An
 * engine on that folder then continues the lead.
 *
 * @returns false if `signal` ended the waiting
 * @throws EngineError as {@link restoreBackup}
 */
export const restoreAsStandby = async ({ target, passphrase, dir, signal }: StandbyOrder): Promise<boolean> => {
  const lead = await waitForLead(leaseTarget({ target, s3: NO_S3 }), signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (lead === undefined) return false;
  try {
    await restoreBackup({ file: target, passphrase, dir, now: () => systemClock.now() });
    saveHolder(dir, lead.holder);
    return true;
  } finally {
    await lead.lease.end(false);
  }
};
