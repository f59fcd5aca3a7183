import { AsyncLocalStorage } from 'node:async_hooks';
import type { Change } from '../../core/log/entry.ts';

/** Who calls a procedure, and by which way in. */
export interface CallerInfo {
  readonly via: 'console' | 'cli' | 'http' | 'engine';
  readonly by: string;
}

/** A call of a procedure, as far as the log tells of it. */
export interface Call extends CallerInfo {
  /** Tells this call from others of this process. */
  readonly call: number;
  /** The procedure. */
  readonly action: string;
}

interface RunningCall {
  readonly call: Call;
  /** What it changed outside of the database. */
  readonly outside: Change[];
}

const callers = new AsyncLocalStorage<CallerInfo>();
const calls = new AsyncLocalStorage<RunningCall>();
let counted = 0;

/** Runs what somebody asks for: whatever it changes is logged as theirs. */
export const calledBy = <T>(caller: CallerInfo, run: () => T): T => callers.run(caller, run);

/** What the engine does by itself, such as a check of a contract, has nobody who calls it. */
const ENGINE: CallerInfo = { via: 'engine', by: 'engine' };

/**
 * Runs a procedure. One that another procedure calls belongs to the first.
 *
 * @param ended called with the changes outside of the database, where there are some, before the call is answered
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

/** The call that is under way where this is asked. */
export const currentCall = (): Call =>
  calls.getStore()?.call ?? { ...(callers.getStore() ?? ENGINE), call: 0, action: 'engine' };

/** Tells the log of a change outside of the database, such as one of the vault. Values are never secret. */
export const noteChange = (change: Change): void => {
  calls.getStore()?.outside.push(change);
};

/** Runs what belongs to no call, though one may have set it off. */
export const detached = <T>(run: () => T): T => callers.exit(() => calls.exit(run));

/** Keeps what is run later a part of the call that is under way now, if there is one. */
export const boundToCall = <T>(run: () => T): (() => T) => {
  const running = calls.getStore();
  return running === undefined ? run : () => calls.run(running, run);
};
