import type { Reason } from '../../core/decide.ts';
import { EngineError } from '../../shared/errors.ts';

/** What to throw where there is no decision that could say the reason. */
export const notSponsored = (reason: Reason): EngineError =>
  new EngineError('NOT_SPONSORED', `${reason.message} ${reason.hint}`, { ...reason });
