import { chmodSync, closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { EngineError } from '../../shared/errors.ts';

/**
 * The locked file. While it is locked, nothing may open it, not even to copy it: when a process closes any descriptor
 * of a file, POSIX drops all of that process's locks on that file.
 */
export const lockFile = (dir: string): string => join(dir, 'engine.lock');

/** A file next to the lock. It contains the id of the process that holds the lock, for people to read. */
export const pidFile = (dir: string): string => join(dir, 'engine.pid');

/** Makes the lock file private: another user who can read it could take the lock and keep Gasdesk from starting. */
const makePrivate = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Uses the name of the file, because an existing file may be locked and must not be opened.
    chmodSync(file, 0o600);
  }
};

/** References to the locks, so that the garbage collector does not release them. */
const held = new Set<Database.Database>();

/**
 * Locks the data folder for this process. The lock belongs to the operating system (it is SQLite's lock on an otherwise
 * empty database), so it always ends with the process.
 *
 * @throws {@link EngineError} `DATA_FOLDER_IN_USE` if any process, even this one, holds it; `DATA_FOLDER_UNUSABLE`
 */
export const lockDataFolder = (dir: string): { release(): void } => {
  let database: Database.Database | undefined;
  try {
    makePrivate(lockFile(dir));
    database = new Database(lockFile(dir), { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    writeFileSync(pidFile(dir), `${process.pid}\n`, { mode: 0o600 });
  } catch (cause) {
    database?.close();
    throw refusal(dir, cause);
  }
  const lock = database;
  held.add(lock);
  return {
    release() {
      if (!held.delete(lock)) return;
      rmSync(pidFile(dir), { force: true });
      lock.close();
    },
  };
};

const refusal = (dir: string, cause: unknown): EngineError => {
  if (!(cause instanceof Database.SqliteError) || cause.code !== 'SQLITE_BUSY') {
    const why = `cannot lock ${lockFile(dir)} (${(cause as Error).message})`;
    return new EngineError('DATA_FOLDER_UNUSABLE', `Cannot use the data folder ${dir}: ${why}`, { dir }, { cause });
  }
  const pid = holder(dir);
  const who = pid === undefined ? 'Another process' : `Process ${pid}`;
  return new EngineError(
    'DATA_FOLDER_IN_USE',
    `${who} uses the data folder ${dir}. Stop it, or choose another folder with --data`,
    { dir, ...(pid !== undefined && { pid }) },
  );
};

/** The process that holds the lock, if its id can be read. */
export const holder = (dir: string): number | undefined => {
  try {
    const pid = Number(readFileSync(pidFile(dir), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
};
