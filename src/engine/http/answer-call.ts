import type { EngineAnswer } from '../../shared/console-bridge.ts';
import { isProcedureName } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ConsoleService } from '../service/index.ts';
import { publicError } from './errors.ts';

export type CalledService = Pick<ConsoleService, 'call'>;

export interface CallContext {
  /** Returns the service for this caller. @throws EngineError if the caller has no access */
  readonly service: () => CalledService | Promise<CalledService>;
  readonly log: Log;
  readonly entropy: Entropy;
}

/** A call as it was received. No part of it has been validated. */
export interface UntrustedCall {
  readonly name: unknown;
  readonly input: unknown;
}

const run = (service: CalledService, { name, input }: UntrustedCall): Promise<unknown> => {
  if (typeof name === 'string' && isProcedureName(name)) return service.call(name, input);
  const isText = typeof name === 'string';
  const error = isText ? `Unknown procedure: ${name.slice(0, 100)}` : 'name must be a string: the name of a procedure';
  throw new EngineError('METHOD_NOT_FOUND', error);
};

/**
 * Answers a procedure call, the same way over IPC, the control socket and the browser console. Never rejects.
 *
 * @param receive reads the call; an error that it throws becomes the answer
 */
export const answerCall = async (
  context: CallContext,
  receive: () => UntrustedCall | Promise<UntrustedCall>,
): Promise<EngineAnswer> => {
  try {
    return { ok: true, output: await run(await context.service(), await receive()) };
  } catch (error) {
    const { code, message, data } = publicError(error, context.log, context.entropy);
    return { ok: false, code, message, data };
  }
};
