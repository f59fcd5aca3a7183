import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { EngineError } from '../../../shared/errors.ts';
import { MEND_DAMAGE, storageError } from './errors.ts';
import { createSchema } from './schema.ts';

export type SqliteDatabase = Database.Database;

/**
 * A checkpoint delays waiting requests. With one checkpoint for every 48 MB, fewer than one request in a hundred is
 * delayed.
 */
const PAGES_PER_CHECKPOINT = 12_000;

/** Whether this connection checkpoints its write-ahead log, or leaves that to another. */
export const checkpointItself = (database: SqliteDatabase, does: boolean): void => {
  database.pragma(`wal_autocheckpoint = ${does ? PAGES_PER_CHECKPOINT : 0}`);
};

/**
 * Opens a database file for the engine: WAL, every commit flushed to disk, foreign keys on, with all
 * tables.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE` if the file cannot be opened or is not a database, `DATABASE_TOO_NEW`,
 *   `DATABASE_TOO_OLD`
 */
export const openDatabase = (file: string): SqliteDatabase => {
  let database: Database.Database | undefined;
  try {
    // The file contains API keys. SQLite gives the files next to it the same mode.
    closeSync(openSync(file, 'a', 0o600));
    database = new Database(file);
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    // With this setting, triggers also see the rows that a REPLACE removes.
    database.pragma('recursive_triggers = ON');
    createSchema(database);
    // Set only now, because it writes to the file, and a refused file must stay unchanged.
    database.pragma('journal_mode = WAL');
    checkpointItself(database, true);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof EngineError) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    const advice = storageError(error)?.data['damaged'] === true ? `. ${MEND_DAMAGE}` : '';
    const message = `Cannot open the database ${file}: ${detail}${advice}`;
    throw new EngineError('DATA_FOLDER_UNUSABLE', message, {}, { cause: error });
  }
};
