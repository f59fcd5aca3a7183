import type { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { LogEnd } from './log-store.ts';

/** What a store goes by, and who follows what happens in it. */
export interface StoreWatch {
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each commit that entered something in the log, before its caller is answered. */
  readonly onLogEnd?: (end: LogEnd) => void;
  /** Called with each failure of the disk or of the database. */
  readonly onFault?: (fault: EngineError) => void;
}
