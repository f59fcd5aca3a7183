import { AsyncLocalStorage } from 'node:async_hooks';

/** Who calls a procedure, and by which way in. */
export interface CallerInfo {
  readonly via: 'console' | 'cli' | 'http' | 'engine';
  readonly by: string;
}

/** A call of a procedure, as far as the log tells of it. */
export interface Call extends CallerInfo {
  /** Tells this call from others. */
  readonly call: number;
  /** The procedure. */
  readonly action: string;
}

const callers = new AsyncLocalStorage<CallerInfo>();
const calls = new AsyncLocalStorage<Call>();
let counted = 0;

/** Runs what somebody asks for: whatever it changes is logged as theirs. */
export const calledBy = <T>(caller: CallerInfo, run: () => T): T => callers.run(caller, run);

/** What the engine does by itself, such as a check of a contract, has nobody who calls it. */
const ENGINE: CallerInfo = { via: 'engine', by: 'engine' };

/** Runs a procedure. One that another procedure calls belongs to the first. */
export const inCall = <T>(action: string, run: () => T): T => {
  if (calls.getStore() !== undefined) return run();
  counted += 1;
  return calls.run({ ...(callers.getStore() ?? ENGINE), call: counted, action }, run);
};

/** The call that is under way where this is asked. */
export const currentCall = (): Call => calls.getStore() ?? { ...(callers.getStore() ?? ENGINE), call: 0, action: 'engine' };
