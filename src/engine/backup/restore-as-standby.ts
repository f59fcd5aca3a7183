import { systemClock, systemEntropy } from '../base/clock.ts';
import type { Secret } from '../base/secret.ts';
import { requireCopyPassphrase } from '../continuous-backup/read-copy.ts';
import { waitForLead } from '../continuous-backup/standby.ts';
import { leaseTarget, saveHolder } from '../continuous-backup/take-lead.ts';
import type { TargetPlace } from '../continuous-backup/target.ts';
import { requireRestorable, restoreBackup } from './restore.ts';

interface StandbyOrder {
  /** Of the continuous backup. */
  readonly place: TargetPlace;
  readonly passphrase: Secret<string>;
  readonly dir: string;
  readonly signal: AbortSignal;
}

/**
 * Waits until the desk that copies to a target is gone, takes its lead, and restores the copy into a data folder. An
 * engine on that folder then continues the lead.
 *
 * @returns false if `signal` ended the waiting
 * @throws EngineError as {@link leaseTarget} and {@link restoreBackup}; `BACKUP_PASSPHRASE_WRONG` and
 * `DATA_FOLDER_UNUSABLE` at once
 */
export const restoreAsStandby = async ({ place, passphrase, dir, signal }: StandbyOrder): Promise<boolean> => {
  // A folder that cannot be used and a wrong passphrase are reported now, and not when the copy is needed.
  requireRestorable(dir);
  const target = await leaseTarget(place, systemEntropy, signal);
  await requireCopyPassphrase(target, passphrase);
  const lead = await waitForLead(target, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (lead === undefined) return false;
  try {
    await restoreBackup({ file: place.target, s3: place.s3, passphrase, dir, now: () => systemClock.now() });
    saveHolder(dir, lead.holder);
    return true;
  } finally {
    await lead.lease.end(false);
  }
};
