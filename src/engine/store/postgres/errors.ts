import { DatabaseError } from 'pg';
import { EngineError } from '../../../shared/errors.ts';

/**
 * PostgreSQL's error classes for problems of the server, not of the statement: connection, resources, shutdown,
 * read-only, and a refused user or database.
 */
const SERVER_CLASSES = ['08', '25006', '25P03', '28', '3D', '40', '53', '55P03', '57', '58', 'XX'];

/** Codes for a failed socket, an unknown name, and a refused certificate. */
const SOCKET_ERROR = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|E(HOST|NET)\w+|ERR_(SSL|TLS)_\w+|\w*CERT\w*)$/;

/** The client's own messages: a connection that ended, could not be opened, or did not answer in time. */
const CLIENT_ERROR =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when|Query read timeout|timeout expired|The server does not support SSL|Cannot use a pool after)/;

const isServerError = (error: unknown): boolean => {
  if (error instanceof EngineError) return false;
  if (error instanceof DatabaseError) return SERVER_CLASSES.some((start) => error.code?.startsWith(start) === true);
  if (!(error instanceof Error)) return false;
  if ('code' in error) return typeof error.code === 'string' && SOCKET_ERROR.test(error.code);
  return CLIENT_ERROR.test(error.message);
};

/** PostgreSQL's codes for damaged data or a damaged index. */
const DAMAGE_CODES = ['XX001', 'XX002'];

const damage = (error: unknown): EngineError | undefined => {
  if (!(error instanceof DatabaseError) || !DAMAGE_CODES.includes(error.code ?? '')) return undefined;
  const message =
    'PostgreSQL reports that the database is damaged, so Gasdesk signs and changes nothing. Stop the engines and restore the database from your newest backup. The log of PostgreSQL names the file.';
  return new EngineError('STORAGE_FAILED', message, { damaged: true }, { cause: error });
};

/**
 * `STORAGE_FAILED` if the database is damaged, `STORE_UNAVAILABLE` if it is unreachable; other errors stay unchanged.
 */
export const storeError = (error: unknown): unknown => {
  const damaged = damage(error);
  if (damaged !== undefined) return damaged;
  if (!isServerError(error)) return error;
  // Clients must not see hosts and users of the database. The log contains the cause.
  return new EngineError('STORE_UNAVAILABLE', undefined, {}, { cause: error });
};

/** Like {@link storeError}, but with the reason, for the operator. */
export const openingError = (error: unknown): unknown => {
  const damaged = damage(error);
  if (damaged !== undefined) return damaged;
  if (!isServerError(error)) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new EngineError('STORE_UNAVAILABLE', `Gasdesk cannot reach its database: ${detail}`, {}, { cause: error });
};
