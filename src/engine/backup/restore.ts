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
import {
  type DataFolder,
  KEYSTORES,
  keptFiles,
  keystoreFiles,
  logEndFile,
  openDataFolder,
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
import { type MadeBackup, removeUnfinishedBackup, writeBackup } from './write-backup.ts';

/** What is to be restored where. */
export interface RestoreOrder {
  /** The backup. */
  readonly file: string;
  readonly passphrase: Secret<string>;
  /** The data folder; it need not exist. */
  readonly dir: string;
  readonly now: () => number;
  /** Base-2 logarithm of what a guess of the passphrase costs, for the backup of what is there. */
  readonly logN?: number;
}

/** What a restore did. */
export interface Restored {
  readonly manifest: Manifest;
  /** The backup of what was there before; null if nothing was. */
  readonly before: MadeBackup | null;
}

/** Unpacked and not yet checked, or checked and on its way to its place: the rename between them is what decides. */
const unpackedIn = (dir: string): string => join(dir, 'restore.new');
const decidedIn = (dir: string): string => join(dir, 'restore.ready');

const besides = (database: string): string[] => ['-wal', '-shm', '-journal'].map((suffix) => database + suffix);

/** Every file that SQLite may have made of a database. */
export const databaseFiles = (database: string): string[] => [database, ...besides(database)];

/** Makes what was written or renamed in a data folder last. */
const syncFolders = (dir: string): void => {
  if (existsSync(join(dir, KEYSTORES))) syncFolder(join(dir, KEYSTORES));
  syncFolder(dir);
};

/**
 * Ends what a crash interrupted: a restore that was decided is completed, and what unfinished backups and restores left
 * is removed. The data folder must be locked.
 *
 * @returns whether a restore was completed
 */
export const finishInterrupted = (dir: string): boolean => {
  removeUnfinishedBackup({ dir });
  rmSync(unpackedIn(dir), { recursive: true, force: true });
  const ready = decidedIn(dir);
  const described = join(ready, MANIFEST_NAME);
  if (!existsSync(described)) {
    rmSync(ready, { recursive: true, force: true });
    return false;
  }
  const { files } = readManifest(ready, readFileSync(described, 'utf8'));
  // The restored log is an earlier one, and tells so itself.
  rmSync(logEndFile(dir), { force: true });
  // Every step may have been done before. The settings come first: they are read before this is called again.
  const keystores = new Set([...keystoreFiles(dir), ...keystoreFiles(ready)]);
  if (keystores.size > 0) mkdirSync(join(dir, KEYSTORES), { recursive: true, mode: 0o700 });
  for (const name of [keptFiles.config, keptFiles.vault, ...keystores, keptFiles.database]) {
    const target = join(dir, name);
    const isHere = existsSync(join(ready, name));
    const isDone = !isHere && files.some((file) => file.name === name);
    if (isDone) continue;
    if (name === keptFiles.database) for (const beside of besides(target)) rmSync(beside, { force: true });
    if (isHere) renameSync(join(ready, name), target);
    else rmSync(target, { force: true });
  }
  syncFolders(dir);
  rmSync(ready, { recursive: true });
  return true;
};

/** Backs up what the folder holds. Its vault stays as it is: it opens with what opened it. */
const saveWhatIsThere = async (folder: DataFolder, order: RestoreOrder): Promise<MadeBackup | null> => {
  const isKept = Object.values(keptFiles).some((name) => existsSync(join(folder.dir, name)));
  if (!isKept && keystoreFiles(folder.dir).length === 0) return null;
  const { passphrase, now, logN = Math.log2(DEFAULT_SCRYPT.N) } = order;
  try {
    return await writeBackup({
      ...{ folder, passphrase, now, logN, force: false, entropy: systemEntropy },
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

/** What tells a data folder from a folder of something else. */
const isDataFolder = (names: readonly string[]): boolean =>
  ['engine.lock', 'restore.new', ...Object.values(keptFiles)].some((name) => names.includes(name));

const namesIn = (dir: string): string[] => {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return readdirSync(dir);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new EngineError('DATA_FOLDER_UNUSABLE', `Cannot use the folder ${dir}: ${why}`, { dir }, { cause });
  }
};

/** Puts the checked files where the next start, at the latest, moves them to their places. */
const decide = (dir: string, manifest: Manifest): void => {
  writeFileSync(join(unpackedIn(dir), MANIFEST_NAME), manifestText(manifest), { flush: true });
  syncFolders(unpackedIn(dir));
  renameSync(unpackedIn(dir), decidedIn(dir));
  syncFolder(dir);
};

/**
 * Restores a backup into an empty folder, or in the place of the desk that is there, of which a backup is made first
 * (with the same passphrase). Everything is checked before anything is changed; a crash leaves the old state, or one that
 * the next start of the engine completes to the new.
 *
 * @throws EngineError `DATA_FOLDER_IN_USE`, `DATA_FOLDER_UNUSABLE`, `BACKUP_FAILED`, and all of {@link openBackup}; what
 *   was there is unchanged then
 */
export const restoreBackup = async (order: RestoreOrder): Promise<Restored> => {
  const dir = resolve(order.dir);
  const isNew = !existsSync(dir);
  const names = namesIn(dir);
  if (names.length > 0 && !isDataFolder(names)) {
    const message = `The folder ${dir} contains other files than a desk's. Choose an empty folder`;
    throw new EngineError('DATA_FOLDER_UNUSABLE', message, { dir });
  }
  // An empty folder shall stay empty if the backup is refused.
  let lock = names.length > 0 ? lockDataFolder(dir) : undefined;
  try {
    if (lock) finishInterrupted(dir);
    mkdirSync(unpackedIn(dir), { mode: 0o700 });
    const { manifest } = await openBackup(order.file, order.passphrase, unpackedIn(dir));
    renewLog(join(unpackedIn(dir), keptFiles.database), manifest.madeAt);
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
