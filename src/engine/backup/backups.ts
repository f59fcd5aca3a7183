import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, isAbsolute, join, relative } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { DataFolder } from '../data-folder/data-folder.ts';
import type { FreeBytes } from '../data-folder/free-bytes.ts';
import type { Secret } from '../base/secret.ts';
import { DEFAULT_SCRYPT, type ScryptCost } from '../signer/scrypt-key.ts';
import type { Vault } from '../signer/vault.ts';
import type { Snapshots } from '../store/snapshots.ts';
import { requireRoom, watchRoom } from './backup-room.ts';
import { BACKUP_EXTENSION, type MadeBackup, writeBackup } from './write-backup.ts';

export interface BackupOrder {
  /** Absolute path of a file or folder, or a name in the backups folder. By default, the name contains the time. */
  readonly file?: string | undefined;
  readonly passphrase: Secret<string>;
  readonly force: boolean;
}

export interface Backups {
  readonly folder: string;
  /**
   * Makes a backup of data, vault and settings. One passphrase opens both the file and the vault in it, even if the
   * engine's own vault needs another passphrase or a key that exists only on this machine. So the backup can be
   * restored on another machine. The vault must be unlocked; a locked vault can only be backed up with its own
   * passphrase.
   *
   * @throws EngineError `BACKUP_EXISTS`, `BACKUP_FAILED`, `BACKUP_NO_ROOM`, `VAULT_LOCKED`, `VAULT_DAMAGED`
   */
  create(order: BackupOrder): Promise<MadeBackup>;
  list(): MadeBackup[];
  /** Cancels the backup in progress. */
  stop(): Promise<void>;
}

const backupsFolder = ({ dir }: Pick<DataFolder, 'dir'>): string => join(dir, 'backups');

/** Name of a backup made at `at` (epoch ms), such as `gasdesk-2026-09-30T123456.789Z.gasdesk-backup`. */
export const backupName = (title: string, at: number): string =>
  `${title}-${new Date(at).toISOString().replaceAll(':', '')}${BACKUP_EXTENSION}`;

/** Creates the backups folder, accessible to its owner only. */
export const makeBackupsFolder = (folder: Pick<DataFolder, 'dir'>): string => {
  const dir = backupsFolder(folder);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return dir;
};

/** Inside the data folder, only the backups folder may contain backups. */
const requireOutside = (folder: DataFolder, file: string): void => {
  const within = (dir: string): boolean => !relative(dir, file).startsWith('..');
  if (!within(folder.dir) || within(backupsFolder(folder))) return;
  const message = `file must be in ${backupsFolder(folder)} or outside of the data folder`;
  throw new EngineError('VALIDATION', message, { errors: [message] });
};

const pathOf = (folder: DataFolder, file: string | undefined, now: number): string => {
  const name = backupName('gasdesk', now);
  if (file === undefined) return join(makeBackupsFolder(folder), name);
  if (isAbsolute(file)) {
    requireOutside(folder, file);
    return existsSync(file) && statSync(file).isDirectory() ? join(file, name) : file;
  }
  if (basename(file) === file && !file.startsWith('.')) {
    return join(makeBackupsFolder(folder), extname(file) === '' ? file + BACKUP_EXTENSION : file);
  }
  const message = `file must be an absolute path on the engine's machine, or a name without a folder`;
  throw new EngineError('VALIDATION', message, { errors: [message] });
};

const copyVault = async (vault: Vault, passphrase: Secret<string>): Promise<() => string | undefined> => {
  const { state } = vault;
  if (state === 'absent') return () => undefined;
  try {
    return await vault.copyUnder(passphrase);
  } catch (error) {
    if (state === 'unlocked' || !(error instanceof EngineError) || error.code !== 'VAULT_PASSPHRASE_WRONG') throw error;
    const message = "The vault is locked. Unlock it before the backup, or use the vault's passphrase";
    throw new EngineError('VAULT_LOCKED', message, {}, { cause: error });
  }
};

/** Makes and lists the backups of a data folder. */
export const createBackups = (desk: {
  readonly folder: DataFolder;
  readonly store: Pick<Snapshots, 'copyTo' | 'databaseBytes'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly freeBytes: FreeBytes;
  readonly scrypt?: ScryptCost | undefined;
}): Backups => {
  const { folder, store, vault, clock, entropy, freeBytes, scrypt = DEFAULT_SCRYPT } = desk;
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;

  const make = async ({ file, passphrase, force }: BackupOrder): Promise<MadeBackup> => {
    const path = pathOf(folder, file, clock.now());
    const vaultText = await copyVault(vault, passphrase);
    const databaseBytes = await store.databaseBytes();
    const order = { dir: folder.dir, file: path, databaseBytes, freeBytes, clock };
    await requireRoom(order);
    const room = watchRoom(order);
    const signal = AbortSignal.any([stopping.signal, room.signal]);
    try {
      return await writeBackup({
        folder,
        file: path,
        passphrase,
        force,
        vaultText,
        signal,
        entropy,
        logN: Math.log2(scrypt.N),
        now: () => clock.now(),
        copyDatabase: (copy) => store.copyTo(copy, signal),
      });
    } finally {
      room.stop();
    }
  };

  return {
    folder: backupsFolder(folder),
    async create(order) {
      if (running !== undefined)
        throw new EngineError('BACKUP_FAILED', 'Another backup is running. Wait until it is done');
      const made = make(order);
      running = made;
      try {
        return await made;
      } finally {
        running = undefined;
      }
    },
    list() {
      const dir = backupsFolder(folder);
      if (!existsSync(dir)) return [];
      return readdirSync(dir, { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(BACKUP_EXTENSION))
        .map(({ name }) => {
          const path = join(dir, name);
          const { size, mtimeMs } = statSync(path);
          return { path, bytes: size, madeAt: Math.floor(mtimeMs) };
        })
        .sort((a, b) => b.madeAt - a.madeAt);
    },
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await running?.catch(() => undefined);
    },
  };
};
