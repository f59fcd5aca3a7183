import type { Reason } from '../../core/decision/decide.ts';
import { EngineError } from '../../shared/errors.ts';

/** The error for a call that is refused without a decision, so that the error itself gives the reason. */
export const notSponsored = (reason: Reason): EngineError =>
  new EngineError('NOT_SPONSORED', `${reason.message} ${reason.hint}`, { ...reason });
