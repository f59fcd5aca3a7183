import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EngineError } from '../../shared/errors.ts';
import { decode } from '../http/json.ts';
import { type BodyReceiver, discardRest } from '../http/receive-body.ts';
import type { ReceivedRequest, RpcAnswering } from './answer-request.ts';
import type { RpcAnswer } from './dispatch.ts';
import { failure, httpStatus } from './envelope.ts';
import { SHORT_BODY } from './router.ts';

/** Matches only paths without characters that a router would decode. */
const PATH = /^\/api\/v[12]\/([1-9]\d{0,15})\/([\w.-]+)$/;

/** The headers that the router and the middleware before it add to all other answers. */
const HEADERS = [
  ...['Vary', 'Origin'],
  ...['Access-Control-Allow-Origin', '*'],
  ...['Access-Control-Expose-Headers', 'Retry-After'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Cache-Control', 'no-store'],
  ...['Content-Type', 'application/json; charset=utf-8'],
];

export interface PlainRequestOptions extends Pick<RpcAnswering, 'answerRequest'> {
  readonly bodies: BodyReceiver;
  /** Maximum size of a body. */
  readonly limitBytes: number;
  readonly isOwnHost: (host: string) => boolean;
  readonly publicError: (error: unknown) => EngineError;
  /** Logs an answer. @param start `clock.monotonic()` when the request arrived */
  readonly logAnswer: (status: number, start: number) => void;
  /** Monotonic time in ms. */
  readonly now: () => number;
}

/** Answers a request. @returns undefined if it must be answered in another way; rejects never */
export type PlainAnswering = (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;

/**
 * Answers plain JSON-RPC requests before Koa and its middleware, which would take a fifth of the time of a decision.
 * Nearly all requests are plain.
 */
export const plainRequests = ({
  answerRequest,
  bodies,
  limitBytes,
  isOwnHost,
  publicError,
  logAnswer,
  now,
}: PlainRequestOptions): PlainAnswering => {
  const readPlain = (request: IncomingMessage): ReceivedRequest | undefined => {
    const { method, headers, url = '' } = request;
    if (method !== 'POST' || headers['content-type'] !== 'application/json') return undefined;
    if (headers.origin !== undefined || headers['content-encoding'] !== undefined) return undefined;
    const length = Number(headers['content-length'] ?? 0);
    if (length === 0 || !isOwnHost((headers.host ?? '').toLowerCase())) return undefined;
    const [, chainId, apiKey] = PATH.exec(url) ?? [];
    if (apiKey === undefined) return undefined;
    return {
      chainId: Number(chainId),
      apiKey,
      remoteAddress: request.socket.remoteAddress ?? '',
      isShort: length <= SHORT_BODY,
      readText: () => bodies.receive(request, limitBytes).then(decode),
    };
  };

  const answerPlain = (plain: ReceivedRequest, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const start = now();
    let retryAfter: unknown;
    const toPublicError = (cause: unknown): EngineError => {
      const error = publicError(cause);
      retryAfter = error.data['retryAfterSeconds'] ?? retryAfter;
      return error;
    };
    const refuse = (cause: unknown): void => {
      const error = toPublicError(cause);
      send({ status: httpStatus(error), body: failure(null, error) });
    };
    const send = ({ status, body }: RpcAnswer): void => {
      const text = JSON.stringify(body);
      const headers = [...HEADERS, 'Content-Length', String(Buffer.byteLength(text))];
      if (typeof retryAfter === 'number') headers.push('Retry-After', String(retryAfter));
      response.writeHead(status, headers);
      response.end(text);
      discardRest(request);
      logAnswer(status, start);
    };
    try {
      return Promise.resolve(answerRequest(plain, toPublicError)).then(send, refuse);
    } catch (cause) {
      refuse(cause);
      return Promise.resolve();
    }
  };

  return (request, response) => {
    const plain = readPlain(request);
    return plain && answerPlain(plain, request, response);
  };
};
