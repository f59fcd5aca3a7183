import type { Context } from 'koa';
import { EngineError, type ErrorCode } from '../../shared/errors.ts';
import type { Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/** Expected failures as they are; a request that koa cannot read, in our own words; anything else is a bug. */
const toEngineError = (error: unknown): EngineError | undefined => {
  if (error instanceof EngineError) return error;
  const { status } = (typeof error === 'object' && error !== null ? error : {}) as { status?: unknown };
  if (status === 400) return new EngineError('PARSE_ERROR', undefined, {}, { cause: error });
  return undefined;
};

/** No bugs, and the operator has to hear of them all the same. */
const STORAGE_CODES: readonly ErrorCode[] = ['STORAGE_FAILED', 'STORE_UNAVAILABLE', 'LOG_ROLLED_BACK'];

/**
 * What may be told of a failure. A bug is told as `INTERNAL` with a request id; its details are in the log only.
 */
export const publicFault = (error: unknown, log: Log, entropy: Entropy): EngineError => {
  const expected = toEngineError(error);
  if (expected !== undefined) {
    if (STORAGE_CODES.includes(expected.code)) log.error('storage.failed', { err: expected });
    return expected;
  }
  const requestId = entropy.uuid();
  log.error('request.failed', { requestId, err: error });
  return new EngineError('INTERNAL', `Internal error (request ${requestId})`, { requestId }, { cause: error });
};

/** Tells a client that sent too much when to try again. */
export const setRetryAfter = (context: Context, { data }: EngineError): void => {
  if (typeof data['retryAfterSeconds'] === 'number') context.set('Retry-After', String(data['retryAfterSeconds']));
};
