import type { ProcedureArguments, ProcedureOutput } from '../../../api/index.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { MethodContext } from '../method.ts';

/** Quotes an operation's cost in tokens. @throws EngineError `NOT_SPONSORED`, with a reason only if reasons are shown */
export const quoteFeeTokens = (
  request: ProcedureArguments<'sponsorship.feeQuotes'>,
  { service, showReasons }: MethodContext,
): Promise<ProcedureOutput<'sponsorship.feeQuotes'>> =>
  service.run('sponsorship.feeQuotes', request).catch((error: unknown) => {
    const isHidden = !showReasons && error instanceof EngineError && error.code === 'NOT_SPONSORED';
    throw isHidden ? new EngineError('NOT_SPONSORED') : error;
  });
