import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Secret } from '../base/secret.ts';
import { type DataFolder, openDataFolder } from '../data-folder/data-folder.ts';
import { lockDataFolder } from '../data-folder/lock.ts';
import { syncFolder } from '../data-folder/write-durably.ts';
import { configOf, withConnection } from '../store/postgres/connection.ts';
import { type CopyResult, type TakenOut, copyToPostgres, copyToSqlite, requireDesk } from '../store/postgres/copy.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { vaultInFile } from '../store/vault-in-file.ts';
import { databaseFiles, finishInterrupted } from './restore.ts';

export interface CopyOrder {
  readonly dir: string;
  readonly url: Secret<string>;
  readonly clock: Clock;
  readonly log: Log;
}

const withFolder = async <T>(dir: string, use: (folder: DataFolder) => Promise<T>): Promise<T> => {
  const folder = openDataFolder(dir);
  const lock = lockDataFolder(folder.dir);
  try {
    finishInterrupted(folder.dir);
    return await use(folder);
  } finally {
    lock.release();
  }
};

const unusable = (message: string, folder: DataFolder): EngineError =>
  new EngineError('DATA_FOLDER_UNUSABLE', message, { dir: folder.dir });

/** Ends the holds that remain in a database after a crash, as an engine does when it starts. */
const endHolds = async (file: string, watch: Pick<CopyOrder, 'clock' | 'log'>): Promise<void> => {
  await openSqliteStore(file, watch).close();
};

/**
 * Copies the data, the log and the encrypted vault of a data folder into an empty database. The folder stays unchanged;
 * settings and local keys are not copied.
 *
 * @throws EngineError `DATA_FOLDER_IN_USE`, `DATA_FOLDER_UNUSABLE`, `DATABASE_NOT_EMPTY`, `DATABASE_TOO_NEW`,
 * `DATABASE_TOO_OLD` or `STORE_UNAVAILABLE`; the database is then empty
 */
export const copyIntoDatabase = ({ dir, url, ...watch }: CopyOrder): Promise<CopyResult> =>
  withFolder(dir, async (folder) => {
    if (!existsSync(folder.database)) throw unusable(`The folder ${folder.dir} contains no Gasdesk data`, folder);
    return withConnection(configOf(url), async (client) => {
      await endHolds(folder.database, watch);
      const database = openDatabase(folder.database);
      try {
        return await copyToPostgres({ database, vault: vaultInFile(folder.vault).current() }, client);
      } finally {
        database.close();
      }
    });
  });

const removeFiles = (database: string): void => {
  for (const file of databaseFiles(database)) rmSync(file, { force: true });
};

const makeDurable = (file: string): void => {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Writes the vault file. An identical file may already exist, if an earlier copy was killed right after writing it. */
const placeVault = async (folder: DataFolder, sealed: string | undefined): Promise<void> => {
  const vault = vaultInFile(folder.vault);
  const there = vault.current();
  if (there !== undefined && there !== sealed) {
    throw unusable(
      `The folder ${folder.dir} already contains another vault. Choose another folder with --data`,
      folder,
    );
  }
  if (sealed !== undefined) await vault.update(() => sealed);
};

/**
 * Copies the state of a database at one moment into an unused data folder. Engines may use the database during the
 * copy, but their later changes are not copied.
 *
 * @throws EngineError `DATA_FOLDER_IN_USE`, `DATA_FOLDER_UNUSABLE`, `CONFIG_INVALID` if the database is empty,
 * `DATABASE_TOO_NEW` or `STORE_UNAVAILABLE`; the folder then stays unused
 */
export const copyOutOfDatabase = ({ dir, url }: CopyOrder): Promise<TakenOut> =>
  withFolder(dir, async (folder) => {
    if (existsSync(folder.database)) {
      const fix = `Choose another folder with --data, or move ${folder.database} away`;
      throw unusable(`The folder ${folder.dir} already contains Gasdesk data. ${fix}`, folder);
    }
    const unfinished = `${folder.database}.new`;
    removeFiles(unfinished);
    try {
      const taken = await withConnection(configOf(url), async (client) => {
        await requireDesk(client);
        const database = openDatabase(unfinished);
        try {
          const copied = await copyToSqlite(client, database);
          // The copy is a single file, without a write-ahead log next to it.
          database.pragma('journal_mode = DELETE');
          return copied;
        } finally {
          database.close();
        }
      });
      makeDurable(unfinished);
      // The vault comes first: if a database has no vault, the engine would create a new one.
      await placeVault(folder, taken.vault);
      renameSync(unfinished, folder.database);
      syncFolder(folder.dir);
      return taken;
    } catch (error) {
      removeFiles(unfinished);
      throw error;
    }
  });
