import Database from 'better-sqlite3';
import { EngineError } from '../../../shared/errors.ts';

/** SQLite's words for a disk that takes nothing, by the beginning of the extended code. */
const DISK_CODES = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];

/** `STORAGE_FAILED` where the disk is to blame; anything else stays what it is. */
export const storageFault = (error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError) || !DISK_CODES.some((code) => error.code.startsWith(code))) return error;
  const message = `Nothing can be stored (${error.message}), so nothing is signed or changed. Make room on the disk of the data folder, or give back the right to write there.`;
  return new EngineError('STORAGE_FAILED', message, {}, { cause: error });
};
