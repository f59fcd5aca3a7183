import type { Context } from 'koa';
import { EngineError, type ErrorCode } from '../../shared/errors.ts';
import type { Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/**
 * Returns expected errors unchanged, an error with Gasdesk's own message for a request that koa cannot read, and
 * undefined for any other error, which is a bug.
 */
const toEngineError = (error: unknown): EngineError | undefined => {
  if (error instanceof EngineError) return error;
  const { status } = (typeof error === 'object' && error !== null ? error : {}) as { status?: unknown };
  if (status === 400) return new EngineError('PARSE_ERROR', undefined, {}, { cause: error });
  return undefined;
};

/** These errors are not bugs, but they are logged because the operator must know about them. */
const STORAGE_CODES: readonly ErrorCode[] = ['STORAGE_FAILED', 'STORE_UNAVAILABLE', 'LOG_ROLLED_BACK'];

/** The error that a client may see. A bug becomes `INTERNAL` with a request id; only the log contains its details. */
export const publicError = (error: unknown, log: Log, entropy: Entropy): EngineError => {
  const expected = toEngineError(error);
  if (expected !== undefined) {
    if (STORAGE_CODES.includes(expected.code)) log.error('storage.failed', { err: expected });
    return expected;
  }
  const requestId = entropy.uuid();
  log.error('request.failed', { requestId, err: error });
  return new EngineError('INTERNAL', `Internal error (request ${requestId})`, { requestId }, { cause: error });
};

export const setRetryAfter = (context: Context, { data }: EngineError): void => {
  if (typeof data['retryAfterSeconds'] === 'number') context.set('Retry-After', String(data['retryAfterSeconds']));
};
