import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';

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
