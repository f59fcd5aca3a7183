import Database from 'better-sqlite3';
import type { GroupCommit } from './group-commit.ts';
import type { Snapshots } from '../snapshots.ts';

/** Problems the database finds in itself; empty when it is sound. */
const integrityFaults = (database: Database.Database): string[] => {
  try {
    const rows = database.pragma('integrity_check') as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((fault) => fault !== 'ok');
  } catch (error) {
    // Damaged so badly that it cannot even be checked.
    return [error instanceof Error ? error.message : String(error)];
  }
};

/** 400 KB, which take about half a millisecond; in between the process does other work. */
const PAGES_PER_STEP = 100;

/**
 * Copies a database that is in use to a file, by SQLite's online backup: what this connection writes meanwhile is in
 * the copy, too, which is as of the moment this resolves. The copy is one file, without a log beside it, so that it can
 * be read where nothing may be written.
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
  const copy = new Database(file);
  try {
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
  }
};

/**
 * Copies a database file that no engine uses, of whatever schema, as {@link copyDatabase} does.
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

const readOnly = <T>(file: string, ask: (database: Database.Database) => T): T => {
  const database = new Database(file, { readonly: true });
  try {
    return ask(database);
  } finally {
    database.close();
  }
};

/** The schema of a database file (`user_version`). @throws Error of SQLite if it is no database */
export const schemaOf = (file: string): number =>
  readOnly(file, (database) => database.pragma('user_version', { simple: true }) as number);

/** Problems SQLite finds in a database file; empty when it is sound. */
export const faultsOf = (file: string): string[] => readOnly(file, integrityFaults);

/** The database as a whole, in SQLite. */
export const snapshotStore = (database: Database.Database, commit: GroupCommit): Snapshots => ({
  copyTo: (file, signal) => copyDatabase(database, file, signal),
  schemaVersion: () => Promise.resolve(database.pragma('user_version', { simple: true }) as number),
  async databaseBytes() {
    const [pages, size] = ['page_count', 'page_size'].map((name) => database.pragma(name, { simple: true }) as number);
    return BigInt(pages ?? 0) * BigInt(size ?? 0);
  },
  tryWrite: () =>
    commit.run(() => {
      // There and back: SQLite writes nothing where nothing changes.
      database.prepare(`UPDATE desk SET desk_id = desk_id || ' '`).run();
      database.prepare('UPDATE desk SET desk_id = rtrim(desk_id)').run();
    }),
  integrityFaults: () => Promise.resolve(integrityFaults(database)),
});
