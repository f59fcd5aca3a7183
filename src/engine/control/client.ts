import { type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { EngineAnswer } from '../../shared/console-bridge.ts';
import { EngineError } from '../../shared/errors.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';
import type { Caller } from '../../api/index.ts';
import type { ProcedureOutput } from '../../api/index.ts';

const post = (to: Pick<RequestOptions, 'socketPath' | 'signal'>, path: string, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request({ ...to, path, method: 'POST', headers }, (response) => {
      text(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

export const isNobodyThere = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ECONNREFUSED');

/** True if no engine runs, or the engine ended while it was called. */
export const hasEnded = (error: unknown): boolean =>
  isNobodyThere(error) || (error instanceof EngineError && hasCode(error.cause, 'EPIPE', 'ECONNRESET'));

/** Posts a call. The engine may be killed while it answers. */
const postCall = async (to: Parameters<typeof post>[0], path: string, body: string): Promise<EngineAnswer> => {
  try {
    return parseExactJson(await post(to, path, body)) as EngineAnswer;
  } catch (cause) {
    if (isNobodyThere(cause)) throw cause;
    const detail = cause instanceof Error ? cause.message : String(cause);
    const message = `The engine running on this data folder did not answer: ${detail}`;
    throw new EngineError('INTERNAL', message, {}, { cause });
  }
};

/**
 * Resolves once the engine that runs on a data folder answers. It refuses a call without a name at once, even while its
 * database does not answer.
 *
 * @throws like the calls of {@link controlClient}
 *
 * @param signal ends the wait
 */
export const engineAnswers = async (socketPath: string, signal: AbortSignal): Promise<void> => {
  await postCall({ socketPath, signal }, '/', '{}');
};

/**
 * Calls procedures of the engine that runs on a data folder.
 *
 * @throws EngineError as thrown by the procedure, or `INTERNAL` if the engine stops before it answers; an Error for
 * which {@link isNobodyThere} is true if no engine runs
 *
 * @param signal ends calls that wait for an answer
 */
export const controlClient =
  (socketPath: string, signal?: AbortSignal): Caller =>
  async (name, input) => {
    const answer = await postCall({ socketPath, signal }, `/${name}`, JSON.stringify(input));
    if (!answer.ok) throw new EngineError(answer.code, answer.message, answer.data);
    return answer.output as ProcedureOutput<typeof name>;
  };
