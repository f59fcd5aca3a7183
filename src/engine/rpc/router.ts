import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import { setRetryAfter } from '../http/errors.ts';
import { type ReadBody, readJson } from '../http/json.ts';
import type { RateLimits } from '../rate-limit/rate-limits.ts';
import type { Service } from '../service/index.ts';
import { dispatch } from './dispatch.ts';
import { answerStranger, failure, httpStatus } from './envelope.ts';

/** The last form takes the key from a header, for operators who keep keys out of URLs. */
const PATHS = ['/api/v1/:chainId/:apiKey', '/api/v2/:chainId/:apiKey', '/rpc/:chainId'];

export interface RpcRouterOptions {
  readonly service: Service;
  readonly limits: RateLimits;
  readonly readBody: ReadBody;
  /** Read for each request. */
  readonly showReasons: () => boolean;
  readonly publicError: (error: unknown) => EngineError;
}

/** Unknown keys share one counter: an attacker must not fill the memory with invented ones. */
const UNKNOWN_KEYS = '';

/** Decimal only. Anything else is no chain id, but Number would accept `0x7a69`. */
const readChainId = (text: string): number => (/^[1-9]\d*$/.test(text) ? Number(text) : NaN);

/** Chain and API key of a request. A preflight only announces the header that carries the key. */
const paramsOf = (context: Context): { chainId: string; apiKey: string } => {
  const { chainId = '', apiKey = context.get('apiKey') } = context.params as Record<string, string>;
  return { chainId, apiKey };
};

/** The smart account of a request, as far as visible before validation. */
const senderOf = ([first]: readonly unknown[]): string | undefined => {
  // Some methods take one object, with the operation as a member.
  const { userOp, userOperation = userOp ?? first } = Object(first) as Record<string, unknown>;
  const { sender } = Object(userOperation) as Record<string, unknown>;
  return typeof sender === 'string' && /^0x[0-9a-f]{40}$/i.test(sender) ? sender.toLowerCase() : undefined;
};

/** Larger than most requests, bytes. */
const SHORT_BODY = 16_384;

const isShort = ({ request }: Context): boolean => Number(request.get('content-length') || Infinity) <= SHORT_BODY;

/** Limit on values in a body: far more than a batch of requests needs, and far less than its bytes could hold. */
const MAX_VALUES = 4_096;

const readBodyJson = (text: string): unknown => readJson(text, MAX_VALUES);

const remoteAddress = ({ req }: Context): string => req.socket.remoteAddress ?? '';

/** The JSON-RPC interface (behaviour 2.1). Every error is a full JSON-RPC body. */
export const rpcRouter = ({ service, limits, readBody, showReasons, publicError }: RpcRouterOptions): Router => {
  const router = new Router();

  /** Sets which browser origins may read the answer. @throws EngineError `FORBIDDEN_ORIGIN` */
  const checkOrigin = async (context: Context): Promise<void> => {
    const origin = context.get('Origin');
    // Programs other than browsers send no origin, and need no permission to read an answer.
    const allowed =
      origin === '' ? '*' : await service.run('paymasters.corsOrigin', { apiKey: paramsOf(context).apiKey, origin });
    context.vary('Origin');
    if (allowed === null) {
      throw new EngineError('FORBIDDEN_ORIGIN', `The origin ${origin.slice(0, 300)} may not use this API key`);
    }
    context.set('Access-Control-Allow-Origin', allowed);
    context.set('Access-Control-Expose-Headers', 'Retry-After');
  };

  const preflight = (context: Context): void => {
    context.set('Access-Control-Allow-Methods', 'POST');
    context.set('Access-Control-Allow-Headers', context.get('Access-Control-Request-Headers') || 'content-type');
    context.set('Access-Control-Max-Age', '86400');
    context.status = 204;
  };

  const answer = async (context: Context): Promise<void> => {
    const { apiKey, ...given } = paramsOf(context);
    const chainId = readChainId(given.chainId);
    const isKnown = await service.access.isApiKey(chainId, apiKey);
    const count = (): void => {
      limits.peer(remoteAddress(context));
      limits.apiKey(isKnown ? apiKey : UNKNOWN_KEYS);
    };
    // The first request is counted before the body is read; the others of a batch are counted one by one afterwards.
    count();
    if (!isKnown) {
      // Without a valid API key, only as much is read as the answer needs for the request's id.
      const short = isShort(context)
        ? await readBody(context)
            .then(readBodyJson)
            .catch(() => undefined)
        : undefined;
      const { status, body } = answerStranger(short);
      context.status = status;
      context.body = body;
      return;
    }
    let counted = true;
    const admit = (params: readonly unknown[]): void => {
      if (!counted) count();
      counted = false;
      const sender = senderOf(params);
      if (sender !== undefined) limits.sender(apiKey, sender);
    };
    const body = readBodyJson(await readBody(context));
    const caller = { service, chainId, apiKey, showReasons: showReasons() };
    const { status, body: response } = await dispatch(body, caller, toPublicError(context), admit);
    context.status = status;
    context.body = response;
  };

  const toPublicError =
    (context: Context) =>
    (cause: unknown): EngineError => {
      const error = publicError(cause);
      setRetryAfter(context, error);
      return error;
    };

  const guarded =
    (handle: (context: Context) => void | Promise<void>) =>
    async (context: Context): Promise<void> => {
      try {
        await checkOrigin(context);
        await handle(context);
      } catch (cause) {
        const error = toPublicError(context)(cause);
        context.status = httpStatus(error);
        context.body = failure(null, error);
      }
    };

  for (const path of PATHS) {
    router.post(path, guarded(answer));
    router.options(path, guarded(preflight));
  }
  return router;
};
