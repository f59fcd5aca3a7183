import type { EngineAnswer } from '../../shared/console-bridge.ts';
import { isProcedureName } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ConsoleService } from '../service/index.ts';
import { publicFault } from './faults.ts';

/** What a call needs of a service. */
export type CalledService = Pick<ConsoleService, 'call'>;

/** What answering a call needs. */
export interface CallContext {
  /** The service that the caller may use. @throws EngineError if he may use none */
  readonly service: () => CalledService | Promise<CalledService>;
  readonly log: Log;
  readonly entropy: Entropy;
}

/** A call as it came in: nothing of it is known to be what it should be. */
export interface UntrustedCall {
  readonly name: unknown;
  readonly input: unknown;
}

const run = (service: CalledService, { name, input }: UntrustedCall): Promise<unknown> => {
  if (typeof name === 'string' && isProcedureName(name)) return service.call(name, input);
  const given = typeof name === 'string' ? name.slice(0, 100) : `of type ${typeof name}`;
  throw new EngineError('METHOD_NOT_FOUND', `Unknown procedure: ${given}`);
};

/**
 * Answers a call of a procedure, the same over IPC, the control socket and the browser console. Never rejects.
 *
 * @param receive reads the call; what it throws is the answer
 */
export const answerCall = async (
  context: CallContext,
  receive: () => UntrustedCall | Promise<UntrustedCall>,
): Promise<EngineAnswer> => {
  try {
    return { ok: true, output: await run(await context.service(), await receive()) };
  } catch (error) {
    const { code, message, data } = publicFault(error, context.log, context.entropy);
    return { ok: false, code, message, data };
  }
};
