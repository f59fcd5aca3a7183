import Database from 'better-sqlite3';
import { EngineError } from '../../../shared/errors.ts';

/** SQLite's codes for a disk that cannot be written to, by the beginning of the extended code. */
const DISK_CODES = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];

/** SQLite's codes for a damaged file. */
const DAMAGE_CODES = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];

const isOneOf = (codes: readonly string[], error: unknown): error is Error =>
  error instanceof Database.SqliteError && codes.some((code) => error.code.startsWith(code));

/** If a text that was stored as JSON can no longer be parsed, it has been overwritten. */
const isDamage = (error: unknown): error is Error => isOneOf(DAMAGE_CODES, error) || error instanceof SyntaxError;

export const MEND_DAMAGE =
  'Stop the service, look for the cause (a failing disk, for one), and restore the newest backup: "gasdesk restore FILE"';

/** `STORAGE_FAILED` if the disk or the file is the cause; undefined for any other error. */
export const storageError = (error: unknown): EngineError | undefined => {
  if (isDamage(error)) {
    const message = `The database is damaged (${error.message}), so Gasdesk signs and changes nothing. ${MEND_DAMAGE}.`;
    return new EngineError('STORAGE_FAILED', message, { damaged: true }, { cause: error });
  }
  if (!isOneOf(DISK_CODES, error)) return undefined;
  const message = `Gasdesk cannot write to its database (${error.message}), so it signs and changes nothing. Free space on the disk of the data folder, or restore write access to it.`;
  return new EngineError('STORAGE_FAILED', message, {}, { cause: error });
};
