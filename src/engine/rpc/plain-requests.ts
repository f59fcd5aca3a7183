import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
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

/**
 * Answers plain JSON-RPC requests, which need no other middleware, before the other middleware runs: it would take a
 * fifth of the time of a decision. Nearly all requests are plain. Passes all others on.
 */
export const plainRequests = ({
  answerRequest,
  bodies,
  limitBytes,
  isOwnHost,
  publicError,
  logAnswer,
  now,
}: PlainRequestOptions): Middleware => {
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
      readText: async () => decode(await bodies.receive(request, limitBytes)),
    };
  };

  return async (context, next) => {
    const { req, res } = context;
    const plain = readPlain(req);
    if (plain === undefined) {
      await next();
      return;
    }
    const start = now();
    let retryAfter: unknown;
    const toPublicError = (cause: unknown): EngineError => {
      const error = publicError(cause);
      retryAfter = error.data['retryAfterSeconds'] ?? retryAfter;
      return error;
    };
    let answer: RpcAnswer;
    try {
      answer = await answerRequest(plain, toPublicError);
    } catch (cause) {
      const error = toPublicError(cause);
      answer = { status: httpStatus(error), body: failure(null, error) };
    }
    const { status, body } = answer;
    const text = JSON.stringify(body);
    context.respond = false;
    const headers = [...HEADERS, 'Content-Length', String(Buffer.byteLength(text))];
    res.writeHead(status, typeof retryAfter === 'number' ? [...headers, 'Retry-After', String(retryAfter)] : headers);
    res.end(text);
    discardRest(req);
    logAnswer(status, start);
  };
};
