import type { Reason } from '../../core/decision/decide.ts';
import { EngineError } from '../../shared/errors.ts';

/** For calls without a decision that could give the reason. */
export const notSponsored = (reason: Reason): EngineError =>
  new EngineError('NOT_SPONSORED', `${reason.message} ${reason.hint}`, { ...reason });
