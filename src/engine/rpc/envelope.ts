import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { JsonNumber } from '../../shared/schema/decimal.ts';

const MAX_BATCH = 20;

/** A request whose params are not validated yet. */
export interface RpcRequest {
  readonly id: string | number | JsonNumber | null;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcResponse {
  readonly jsonrpc: '2.0';
  readonly id: RpcRequest['id'];
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const id = z.union([z.string(), z.number(), z.instanceof(JsonNumber), z.null()], 'must be a string or a number');
/** Unknown fields are ignored. Clients write the version in several ways. */
const requestSchema = z.object({
  jsonrpc: z.string().startsWith('2'),
  id,
  method: z.string(),
  params: z
    .array(z.unknown())
    .nullish()
    .transform((params) => params ?? []),
});

const invalid = (detail: string): EngineError => new EngineError('INVALID_REQUEST', `Invalid request: ${detail}`);

/** Reads a request in the form that nearly all clients send; undefined for any other form, which the schema reads. */
const plainRequest = (value: unknown): RpcRequest | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const { jsonrpc, id: given, method, params } = value as Readonly<Record<string, unknown>>;
  const isPlain = jsonrpc === '2.0' && typeof method === 'string' && Array.isArray(params);
  return isPlain && (typeof given === 'number' || typeof given === 'string')
    ? { id: given, method, params }
    : undefined;
};

/** The answer to an invalid request contains its id, if the id can be read. */
export const readRequest = (value: unknown): RpcRequest | { error: EngineError; id: RpcRequest['id'] } => {
  const plain = plainRequest(value);
  if (plain !== undefined) return plain;
  const result = requestSchema.safeParse(value);
  if (result.success) return result.data;
  const raw = typeof value === 'object' && value !== null && 'id' in value ? id.safeParse(value.id) : undefined;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') ?? '';
  const detail = field === '' ? 'it must be an object' : `${field} ${describe(issue)}`;
  return { error: invalid(detail), id: raw?.success === true ? raw.data : null };
};

const describe = (issue: z.core.$ZodIssue | undefined): string => {
  if (issue?.path[0] === 'jsonrpc') return 'must be "2.0"';
  if (issue?.path[0] === 'id') return 'must be a string or a number';
  return issue?.path[0] === 'params' ? 'must be an array' : 'must be a string';
};

/** The requests of a batch. @throws EngineError `INVALID_REQUEST` for an empty batch, or one of more than 20 */
export const readBatch = (values: readonly unknown[]): readonly unknown[] => {
  if (values.length === 0) throw invalid('the batch is empty');
  if (values.length > MAX_BATCH) throw invalid(`a batch may contain at most ${MAX_BATCH} requests`);
  return values;
};

/** These say that the request did not reach a method, or should be sent again later. */
const CODES_WITH_STATUS: ReadonlySet<number> = new Set([-32700, -32600, -32051, -32053, -32029]);

/**
 * HTTP status of a single request's error (behaviour 2.7). Biconomy's clients read the reason only from a response that
 * is not 2xx; all others read it from a 200, and many of them from nothing else.
 */
export const httpStatus = (error: EngineError, isBiconomy = true): number => {
  if (CODES_WITH_STATUS.has(error.rpcCode)) return error.status;
  if (!isBiconomy) return 200;
  return error.status < 500 ? error.status : 400;
};

export const failure = (requestId: RpcRequest['id'], error: EngineError): RpcResponse => ({
  jsonrpc: '2.0',
  id: requestId,
  error: {
    code: error.rpcCode,
    message: error.message,
    ...(Object.keys(error.data).length > 0 && { data: error.data }),
  },
});

/** The answer to a client without a valid API key. It contains the ids of the requests, if they can be read. */
export const answerStranger = (body: unknown): { status: number; body: RpcResponse | RpcResponse[] } => {
  const error = new EngineError('UNKNOWN_API_KEY');
  const answer = (request: unknown): RpcResponse => failure(readRequest(request).id, error);
  const isBatch = Array.isArray(body) && body.length > 0 && body.length <= MAX_BATCH;
  return isBatch ? { status: 200, body: body.map(answer) } : { status: httpStatus(error), body: answer(body) };
};
