import Database from 'better-sqlite3';
import { EngineError } from '../../../shared/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Store } from '../store.ts';

const SLOW_MS = 40;

/** Runs something that keeps the process and logs it if that took longer than 40 ms. `count`: how much it did. */
export type SlowLog = <T>(statement: string, run: () => T, count?: number) => T;

/** SQLite does its work before it answers: whatever takes long there holds up every request. */
export const createSlowLog =
  ({ clock, log }: { clock: Clock; log: Log }): SlowLog =>
  (statement, run, count) => {
    const start = clock.monotonic();
    const result = run();
    const ms = clock.monotonic() - start;
    if (ms > SLOW_MS) log.warn('store.slow', { statement, ms: Math.round(ms), ...(count !== undefined && { count }) });
    return result;
  };

/** SQLite's words for a disk that takes nothing, by the beginning of the extended code. */
const DISK_CODES = ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];

/** `STORAGE_FAILED` where the disk is to blame; anything else stays what it is. */
const storageFault = (error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError) || !DISK_CODES.some((code) => error.code.startsWith(code))) return error;
  const message = `Gasdesk cannot write to its database (${error.message}), so it signs and changes nothing. Free space on the disk of the data folder, or restore write access to it.`;
  return new EngineError('STORAGE_FAILED', message, {}, { cause: error });
};

type Operation = (...args: unknown[]) => Promise<unknown>;

/**
 * Watches how long each operation keeps the process, and says when the disk is to blame; the writes that share a commit
 * are watched where that is made.
 */
export const watched = (store: Store, timed: SlowLog): Store => {
  const operations = Object.entries(store) as [string, Operation][];
  const watchedOnes = operations.map(([name, run]): [string, Operation] => [
    name,
    (...args) =>
      timed(name, () => run(...args)).catch((error: unknown) => {
        throw storageFault(error);
      }),
  ]);
  return Object.fromEntries(watchedOnes) as unknown as Store;
};
