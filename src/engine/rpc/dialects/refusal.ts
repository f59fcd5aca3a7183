import type { ProcedureOutput } from '../../../shared/contract/index.ts';
import { EngineError } from '../../../shared/errors.ts';

type Reason = NonNullable<ProcedureOutput<'sponsorship.sponsor'>['reason']>;

/** What ERC-7677 and Pimlico's dialect answer for an operation that is not sponsored (SPEC 3). */
export const refusal = (reason: Reason, showReasons: boolean): EngineError =>
  showReasons
    ? new EngineError('NOT_SPONSORED', `Not sponsored: ${reason.message} ${reason.hint}`, { ...reason })
    : new EngineError('NOT_SPONSORED');
