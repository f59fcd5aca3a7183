import Database from 'better-sqlite3';
import type { GroupCommit } from './group-commit.ts';
import type { Snapshots } from '../snapshots.ts';
import { checkpointItself } from './open.ts';

/** Problems that the database finds in itself; empty if it is sound. */
const integrityFaults = (database: Database.Database): string[] => {
  try {
    const rows = database.pragma('integrity_check') as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((error) => error !== 'ok');
  } catch (error) {
    // The file is too damaged even to be checked.
    return [error instanceof Error ? error.message : String(error)];
  }
};

/** 400 KB, which takes about half a millisecond. Other work runs between the steps. */
const PAGES_PER_STEP = 100;

/**
 * Copies a database in use to a file, with SQLite's online backup. The copy includes what this connection writes
 * meanwhile: it has the state of the moment when the promise resolves. It is a single file without a write-ahead log,
 * so that it can be read in a place where writing is impossible.
 *
 * @throws Error of SQLite or the file system, or the signal's reason
 */
const copyDatabase = async (database: Database.Database, file: string, signal?: AbortSignal): Promise<void> => {
  await database.backup(file, {
    progress() {
      signal?.throwIfAborted();
      return PAGES_PER_STEP;
    },
  });
  endWriteAheadLog(file);
};

/** Makes a database a single file, which can be read in a place where writing is impossible. */
export const endWriteAheadLog = (file: string): void => {
  const database = new Database(file, { fileMustExist: true });
  try {
    database.pragma('journal_mode = DELETE');
  } finally {
    database.close();
  }
};

/**
 * Copies a database file that no engine uses, of any schema, like {@link copyDatabase}.
 *
 * @throws Error of SQLite or the file system
 */
export const copyDatabaseFile = async (from: string, to: string): Promise<void> => {
  const database = new Database(from, { fileMustExist: true });
  try {
    await copyDatabase(database, to);
  } finally {
    database.close();
  }
};

const readOnly = <T>(file: string, query: (database: Database.Database) => T): T => {
  const database = new Database(file, { readonly: true });
  try {
    return query(database);
  } finally {
    database.close();
  }
};

/** The schema version of a database file (`user_version`). @throws Error of SQLite if it is not a database */
export const schemaOf = (file: string): number =>
  readOnly(file, (database) => database.pragma('user_version', { simple: true }) as number);

/** Problems that SQLite finds in a database file; empty if it finds none. */
export const errorsOf = (file: string): string[] => readOnly(file, integrityFaults);

export const snapshotStore = (database: Database.Database, commit: GroupCommit): Snapshots => ({
  copyTo: (file, signal) => copyDatabase(database, file, signal),
  schemaVersion: () => Promise.resolve(database.pragma('user_version', { simple: true }) as number),
  async databaseBytes() {
    const [pages, size] = ['page_count', 'page_size'].map((name) => database.pragma(name, { simple: true }) as number);
    return BigInt(pages ?? 0) * BigInt(size ?? 0);
  },
  tryWrite: () =>
    commit.run(() => {
      // Changes the value and back, because SQLite writes nothing if nothing changes.
      database.prepare(`UPDATE desk SET desk_id = desk_id || ' '`).run();
      database.prepare('UPDATE desk SET desk_id = rtrim(desk_id)').run();
    }),
  integrityFaults: () => Promise.resolve(integrityFaults(database)),
  async setCheckpoints(own) {
    checkpointItself(database, own);
  },
});
