import type { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { LogEnd } from './log-store.ts';

export interface StoreWatch {
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each commit with a log entry, before its caller gets the answer. */
  readonly onLogEnd?: (end: LogEnd) => void;
  readonly onError?: (error: EngineError) => void;
}
