import { AsyncLocalStorage } from 'node:async_hooks';
import type { Change } from '../../core/log/entry.ts';

export interface CallerInfo {
  readonly via: 'console' | 'cli' | 'http' | 'engine';
  readonly by: string;
}

export interface Call extends CallerInfo {
  readonly call: number;
  readonly action: string;
}

interface RunningCall {
  readonly call: Call;
  readonly outside: Change[];
}

const callers = new AsyncLocalStorage<CallerInfo>();
const calls = new AsyncLocalStorage<RunningCall>();
let counted = 0;

/** Handles a caller's request. The log attributes all changes to that caller. */
export const calledBy = <T>(caller: CallerInfo, run: () => T): T => callers.run(caller, run);

/** The caller for work that the engine does on its own, such as checking a contract. */
const ENGINE: CallerInfo = { via: 'engine', by: 'engine' };

/**
 * Runs a procedure. If another procedure calls it, it is part of that outer call.
 *
 * @param ended runs before the call returns, and receives the changes made outside of the database
 */
export const inCall = async <T>(
  action: string,
  run: () => Promise<T>,
  ended: (call: Call, outside: readonly Change[]) => Promise<void>,
): Promise<T> => {
  if (calls.getStore() !== undefined) return run();
  counted += 1;
  const running: RunningCall = { call: { ...(callers.getStore() ?? ENGINE), call: counted, action }, outside: [] };
  return calls.run(running, async () => {
    try {
      return await run();
    } finally {
      await ended(running.call, running.outside);
    }
  });
};

export const currentCall = (): Call =>
  calls.getStore()?.call ?? { ...(callers.getStore() ?? ENGINE), call: 0, action: 'engine' };

/** Adds a change made outside of the database, such as a change to the vault, to the log. Values are never secret. */
export const noteChange = (change: Change): void => {
  calls.getStore()?.outside.push(change);
};

/** Runs work that does not belong to any call, even if a call triggered it. */
export const detached = <T>(run: () => T): T => callers.exit(() => calls.exit(run));

/** Binds a function to the current call, if any, so that it can run later as part of that call. */
export const boundToCall = <T>(run: () => T): (() => T) => {
  const running = calls.getStore();
  return running === undefined ? run : () => calls.run(running, run);
};
