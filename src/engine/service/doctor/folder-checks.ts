import { stat } from 'node:fs/promises';
import type { ContinuousBackupState } from '../../continuous-backup/continuous-backup.ts';
import { LATE_MS, secondsText } from '../../continuous-backup/words.ts';
import type { Backups } from '../../backup/backups.ts';
import type { Clock } from '../../base/clock.ts';
import type { DataFolder } from '../../data-folder/data-folder.ts';
import { type FreeBytes, LEAST_FREE_BYTES, bytesText } from '../../data-folder/free-bytes.ts';
import { type Check, advice, failed, good } from './check.ts';

/** Below this much free space, `doctor` advises the operator to free some. */
const LOW_BYTES = 2n ** 30n;
/** All permissions of users other than the owner. */
const OTHERS = 0o077;
const DAY_MS = 86_400_000;
const OLD_BACKUP_DAYS = 30;

/**
 * Checks the free space on the data folder's disk. @param freeBytes returns how much this user can still write there
 */
export const checkSpace = async ({ dir }: Pick<DataFolder, 'dir'>, freeBytes: FreeBytes): Promise<Check> => {
  const name = 'disk space';
  const free = await freeBytes(dir).catch(() => undefined);
  if (free === undefined) return advice(name, 'Cannot read the free space', `Check how much space ${dir} has.`);
  const detail = `${bytesText(free)} free`;
  const fix = `Free space on the disk of ${dir}. Gasdesk signs nothing that it cannot store.`;
  if (free < LEAST_FREE_BYTES) return failed(name, detail, fix);
  return free < LOW_BYTES ? advice(name, detail, fix) : good(name, detail);
};

/**
 * Checks whether other users of this machine could take the lock, or read the data, which includes API keys and the
 * encrypted vault.
 */
export const checkAccess = async ({ dir, database, vault, config, lock }: DataFolder): Promise<Check> => {
  const name = 'data folder';
  // Windows has no such permission bits.
  if (process.platform === 'win32') return good(name, dir);
  const wanted = [
    { path: dir, mode: '700' },
    ...[database, vault, config, lock].map((path) => ({ path, mode: '600' })),
  ];
  const found = await Promise.all(wanted.map(({ path }) => stat(path).catch(() => undefined)));
  const open = wanted.filter((_, index) => ((found[index]?.mode ?? 0) & OTHERS) !== 0);
  if (open.length === 0) return good(name, `${dir}: accessible to its owner only`);
  const mend = open.map(({ path, mode }) => `chmod ${mode} '${path}'`).join(' && ');
  return failed(
    name,
    `Other users of this machine can access ${open.map(({ path }) => path).join(', ')}`,
    `Run: ${mend}`,
  );
};

/** Checks the age of the latest backup in the backups folder. Backups in other places are unknown. */
export const checkBackups = ({ list, folder }: Pick<Backups, 'list' | 'folder'>, clock: Clock): Check => {
  const name = 'backups';
  const fix = 'Run "gasdesk backup", and store the file on another machine.';
  const [newest] = list();
  if (newest === undefined) return advice(name, `None in ${folder}`, fix);
  const days = Math.max(0, Math.floor((clock.now() - newest.madeAt) / DAY_MS));
  const detail = `The newest is ${days === 0 ? 'from the last 24 hours' : `${days} ${days === 1 ? 'day' : 'days'} old`}`;
  return days > OLD_BACKUP_DAYS ? advice(name, detail, fix) : good(name, detail);
};

/** Undefined if there is no continuous backup. @param isServing whether the service runs; nothing is copied without it */
export const checkContinuousBackup = (
  { target, copiedAt, behindMs, error }: ContinuousBackupState,
  isServing: boolean,
): Check | undefined => {
  const name = 'continuous backup';
  if (target === null) return undefined;
  if (!isServing) return good(name, `To ${target}, while the service runs`);
  const fix = `Make ${target} writable for the service, or run "gasdesk backup --follow" with another target.`;
  if (error !== null) return failed(name, `${secondsText(behindMs)} behind: ${error}`, fix);
  if (copiedAt === null) return good(name, `To ${target}: the first copy of the database is under way`);
  const detail = `To ${target}, ${secondsText(behindMs)} behind`;
  return behindMs > LATE_MS ? failed(name, detail, fix) : good(name, detail);
};
