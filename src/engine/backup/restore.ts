import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import { systemEntropy } from '../base/clock.ts';
import type { S3Access } from '../continuous-backup/target.ts';
import { copyingFolder } from '../continuous-backup/copying-folder.ts';
import {
  type DataFolder,
  KEYSTORES,
  dataFiles,
  keystoreFiles,
  logEndFile,
  openDataFolder,
  usableFolder,
} from '../data-folder/data-folder.ts';
import { lockDataFolder } from '../data-folder/lock.ts';
import { syncFolder } from '../data-folder/write-durably.ts';
import type { Secret } from '../base/secret.ts';
import { DEFAULT_SCRYPT } from '../signer/scrypt-key.ts';
import { renewLog } from '../store/sqlite/renew-log.ts';
import { copyDatabaseFile } from '../store/sqlite/snapshots.ts';
import { backupName, makeBackupsFolder } from './backups.ts';
import { MANIFEST_NAME, type Manifest, manifestText, readManifest } from './manifest.ts';
import { openBackup } from './open-backup.ts';
import { requireContinues } from './require-continues.ts';
import { isCopyTarget, unpackCopy } from './unpack-copy.ts';
import { type MadeBackup, removeUnfinishedBackup, writeBackup } from './write-backup.ts';

export interface RestoreOrder {
  /** A backup, or the target of a continuous backup. */
  readonly file: string;
  /** For a target in an object store. */
  readonly s3?: S3Access | undefined;
  /** Restores the newest state at or before this time, epoch ms. Only for a continuous backup. */
  readonly until?: number | undefined;
  /**
   * The newest checkpoint, receipt or export that the desk has handed out. If the restored log contains it, the log
   * keeps its name.
   */
  readonly since?: string | undefined;
  readonly passphrase: Secret<string>;
  /** The data folder. It need not exist. */
  readonly dir: string;
  readonly now: () => number;
  /** scrypt work factor (log2) for the backup of the replaced data. */
  readonly logN?: number;
}

export interface RestoreResult {
  readonly manifest: Manifest;
  /** Backup of the replaced data; null if the folder had none. */
  readonly before: MadeBackup | null;
}

/**
 * `restore.new` contains unpacked files that are still being checked. `restore.ready` contains checked files that still
 * have to be moved. When the first is renamed to the second, the restore can no longer be cancelled.
 */
const unpackedIn = (dir: string): string => join(dir, 'restore.new');
const decidedIn = (dir: string): string => join(dir, 'restore.ready');

const besides = (database: string): string[] => ['-wal', '-shm', '-journal'].map((suffix) => database + suffix);

/** All files that SQLite may create for a database. */
export const databaseFiles = (database: string): string[] => [database, ...besides(database)];

const syncFolders = (dir: string): void => {
  if (existsSync(join(dir, KEYSTORES))) syncFolder(join(dir, KEYSTORES));
  syncFolder(dir);
};

/**
 * Refuses a folder in which a restore was interrupted before there was a desk: an engine would start an empty one, which
 * an operator would take for the restored one. The data folder must be locked.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE`
 */
export const requireNoUnfinishedRestore = (dir: string): void => {
  if (!existsSync(unpackedIn(dir)) || existsSync(join(dir, dataFiles.database))) return;
  const message = `A restore into ${dir} was interrupted, so no desk is there yet. Run "gasdesk restore" again, or remove the folder to start an empty desk`;
  throw new EngineError('DATA_FOLDER_UNUSABLE', message, { dir });
};

/**
 * Cleans up after a crash: completes a restore whose files were already checked, and removes the files of unfinished
 * backups and restores. The data folder must be locked.
 *
 * @returns whether a restore was completed
 */
export const finishInterrupted = (dir: string): boolean => {
  removeUnfinishedBackup({ dir });
  rmSync(copyingFolder(dir), { recursive: true, force: true });
  rmSync(unpackedIn(dir), { recursive: true, force: true });
  const ready = decidedIn(dir);
  const described = join(ready, MANIFEST_NAME);
  if (!existsSync(described)) {
    rmSync(ready, { recursive: true, force: true });
    return false;
  }
  const { files } = readManifest(ready, readFileSync(described, 'utf8'));
  // The restored log ends earlier than the file says, and an entry in the database records the restore.
  rmSync(logEndFile(dir), { force: true });
  // A crash may have interrupted an earlier run, so any step may be done already. Settings come first, because the next
  // start reads them before it calls this function.
  const keystores = new Set([...keystoreFiles(dir), ...keystoreFiles(ready)]);
  if (keystores.size > 0) mkdirSync(join(dir, KEYSTORES), { recursive: true, mode: 0o700 });
  for (const name of [dataFiles.config, dataFiles.vault, ...keystores, dataFiles.database]) {
    const target = join(dir, name);
    const isHere = existsSync(join(ready, name));
    const isDone = !isHere && files.some((file) => file.name === name);
    if (isDone) continue;
    if (name === dataFiles.database) for (const beside of besides(target)) rmSync(beside, { force: true });
    if (isHere) renameSync(join(ready, name), target);
    else rmSync(target, { force: true });
  }
  syncFolders(dir);
  rmSync(ready, { recursive: true });
  return true;
};

/** Backs up the folder's current data. The vault of that backup still opens with the same passphrase or key. */
const saveWhatIsThere = async (folder: DataFolder, order: RestoreOrder): Promise<MadeBackup | null> => {
  const isUsed = Object.values(dataFiles).some((name) => existsSync(join(folder.dir, name)));
  if (!isUsed && keystoreFiles(folder.dir).length === 0) return null;
  const { passphrase, now, logN = Math.log2(DEFAULT_SCRYPT.N) } = order;
  try {
    return await writeBackup({
      folder,
      passphrase,
      now,
      logN,
      force: false,
      entropy: systemEntropy,
      file: join(makeBackupsFolder(folder), backupName('gasdesk-before-restore', now())),
      copyDatabase: (copy) => copyDatabaseFile(folder.database, copy),
      vaultText: () => (existsSync(folder.vault) ? readFileSync(folder.vault, 'utf8') : undefined),
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Gasdesk cannot back up ${folder.dir} first (${why}), so it restored nothing. Move that folder away, or restore into another one`;
    throw new EngineError('BACKUP_FAILED', message, { dir: folder.dir }, { cause });
  }
};

const isDataFolder = (names: readonly string[]): boolean =>
  ['engine.lock', 'restore.new', ...Object.values(dataFiles)].some((name) => names.includes(name));

/**
 * Creates a folder if it is missing. Refuses one that cannot be used, or whose files do not belong to Gasdesk.
 *
 * @returns the names in it
 * @throws EngineError `DATA_FOLDER_UNUSABLE`
 */
export const requireRestorable = (dir: string): readonly string[] => {
  const names = readdirSync(usableFolder(dir));
  if (names.length === 0 || isDataFolder(names)) return names;
  const message = `The folder ${dir} contains files that do not belong to Gasdesk. Choose an empty folder`;
  throw new EngineError('DATA_FOLDER_UNUSABLE', message, { dir });
};

/**
 * Renames the folder with the checked files to `restore.ready`. If the process stops here, the next start moves the
 * files into place.
 */
const decide = (dir: string, manifest: Manifest): void => {
  writeFileSync(join(unpackedIn(dir), MANIFEST_NAME), manifestText(manifest), { flush: true });
  syncFolders(unpackedIn(dir));
  renameSync(unpackedIn(dir), decidedIn(dir));
  syncFolder(dir);
};

const NO_S3: S3Access = { endpoint: '', region: '', accessKeyId: '', secretAccessKey: '' };

const unpack = async ({ file, s3 = NO_S3, passphrase, until }: RestoreOrder, dir: string): Promise<Manifest> => {
  if (isCopyTarget(file)) return unpackCopy({ file, s3, passphrase, until }, dir);
  if (until === undefined) return (await openBackup(file, passphrase, dir)).manifest;
  throw new EngineError('VALIDATION', `${file} is one backup, from one moment. Only a continuous backup has others`);
};

/**
 * Restores a backup into an empty folder, or over existing data, which is backed up first with the same passphrase.
 * Everything is checked before anything changes. After a crash, the folder has either its old state, or a state from
 * which the engine's next start completes the restore.
 *
 * @throws EngineError `DATA_FOLDER_IN_USE`, `DATA_FOLDER_UNUSABLE`, `BACKUP_FAILED`, `LOG_ROLLED_BACK` if the log does
 * not contain `since`, and the errors of {@link openBackup}; existing data is then unchanged
 */
export const restoreBackup = async (order: RestoreOrder): Promise<RestoreResult> => {
  const dir = resolve(order.dir);
  const isNew = !existsSync(dir);
  const names = requireRestorable(dir);
  // The lock file is created only later, so that an empty folder stays empty if the backup is refused.
  let lock = names.length > 0 ? lockDataFolder(dir) : undefined;
  try {
    if (lock) finishInterrupted(dir);
    mkdirSync(unpackedIn(dir), { mode: 0o700 });
    const manifest = await unpack(order, unpackedIn(dir));
    const database = join(unpackedIn(dir), dataFiles.database);
    if (order.since === undefined) renewLog(database, manifest.madeAt);
    else await requireContinues(database, order.since);
    lock ??= lockDataFolder(dir);
    const before = await saveWhatIsThere(openDataFolder(dir), order);
    decide(dir, manifest);
    finishInterrupted(dir);
    return { manifest, before };
  } catch (error) {
    rmSync(unpackedIn(dir), { recursive: true, force: true });
    if (isNew && !lock) rmdirSync(dir);
    throw error;
  } finally {
    lock?.release();
  }
};
