import type { EngineAnswer } from '../../../shared/console-bridge.ts';
import type { ProcedureName, ProcedureOutput } from '../../../shared/contract/index.ts';
import { EngineError } from '../../../shared/errors.ts';

/** What a procedure answered. @throws EngineError as the engine told it */
export const outputOf = <Name extends ProcedureName>(answer: EngineAnswer): ProcedureOutput<Name> => {
  if (!answer.ok) throw new EngineError(answer.code, answer.message, answer.data);
  return answer.output as ProcedureOutput<Name>;
};
