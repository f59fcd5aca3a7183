import { EngineError } from '../../shared/errors.ts';

/** The error that callers get for the one that ended a trial's thread. */
export const trialFailure = (cause: unknown): EngineError =>
  (cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new EngineError('TRIAL_TOO_BIG')
    : new EngineError('INTERNAL', 'The trial failed', {}, { cause });
