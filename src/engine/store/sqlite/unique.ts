import { SqliteError } from 'better-sqlite3';
import { EngineError, type ErrorCode } from '../../../shared/errors.ts';

/**
 * Turns a violation of a unique index into an expected error.
 *
 * @param clashes error by the column that SQLite names last in its message
 */
export const orClash = <T>(clashes: Readonly<Record<string, ErrorCode>>, write: () => T): T => {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof SqliteError) || error.code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
    const column = /\.(\w+)$/.exec(error.message)?.[1] ?? '';
    const code = clashes[column];
    if (code === undefined) throw error;
    throw new EngineError(code, undefined, {}, { cause: error });
  }
};
