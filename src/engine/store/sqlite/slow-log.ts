import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

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
