import type { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { LogEnd } from './log-store.ts';

export interface StoreWatch {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the opening of a database server that does not answer. */
  readonly stop?: AbortSignal;
  /** Called after each commit with a log entry, before its caller gets the answer. */
  readonly onLogEnd?: (end: LogEnd) => void;
  /**
   * Called after each commit. Callers get their answers when the promise resolves, and its error if it rejects; the
   * commit stays.
   */
  readonly confirm?: () => Promise<void> | undefined;
  readonly onError?: (error: EngineError) => void;
}
