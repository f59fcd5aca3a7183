import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Store } from '../store.ts';
import type { StoreWatch } from '../store-watch.ts';
import { storageError } from './errors.ts';

const SLOW_MS = 40;

/** Runs blocking work and logs it if it took longer than 40 ms. @param count amount of work done */
export type SlowLog = <T>(statement: string, run: () => T, count?: number) => T;

/** SQLite blocks the process while it works, so slow statements delay every request. */
export const createSlowLog =
  ({ clock, log }: { clock: Clock; log: Log }): SlowLog =>
  (statement, run, count) => {
    const start = clock.monotonic();
    const result = run();
    const ms = clock.monotonic() - start;
    if (ms > SLOW_MS) log.warn('store.slow', { statement, ms: Math.round(ms), ...(count !== undefined && { count }) });
    return result;
  };

type Operation = (...args: unknown[]) => Promise<unknown>;

interface StoreHooks {
  readonly timed: SlowLog;
  readonly onError: StoreWatch['onError'];
}

/** Operations that only read memory, and run before every decision. They are not measured. */
const UNWATCHED: readonly string[] = ['ledgerVersion', 'settingsVersion'] satisfies (keyof Store)[];

/**
 * Measures how long each operation blocks the process, and reports errors of the disk or the file. Writes that share a
 * commit are measured where the commit runs.
 */
export const watched = (store: Store, { timed, onError }: StoreHooks): Store => {
  const failed = (cause: unknown): never => {
    const error = storageError(cause);
    if (error === undefined) throw cause;
    onError?.(error);
    throw error;
  };
  const operations = Object.entries(store) as [string, Operation][];
  const watchedOnes = operations.map(([name, run]): [string, Operation] => [
    name,
    UNWATCHED.includes(name) ? run : (...args) => timed(name, () => run(...args)).catch(failed),
  ]);
  return Object.fromEntries(watchedOnes) as unknown as Store;
};
