import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import { setRetryAfter } from '../http/errors.ts';
import type { ReadBody } from '../http/json.ts';
import type { RpcAnswering } from './answer-request.ts';
import { failure, httpStatus } from './envelope.ts';

/**
 * `/rpc` takes the key from a header, for operators who keep keys out of URLs. Without a chain id, the chain is the
 * DApp's.
 */
const PATHS = ['/api/v1', '/api/v2'].flatMap((path) => [`${path}/:chainId/:apiKey`, `${path}/:apiKey`]);
const KEYLESS_PATHS = ['/rpc/:chainId', '/rpc'];

export interface RpcRouterOptions extends Pick<RpcAnswering, 'service' | 'answerRequest'> {
  readonly readBody: ReadBody;
  readonly publicError: (error: unknown) => EngineError;
}

/** Accepts only decimal digits, because Number would also accept `0x7a69`. */
const readChainId = (text: string): number => (/^[1-9]\d*$/.test(text) ? Number(text) : NaN);

/** Chain and API key of a request. A preflight only announces the header that carries the key. */
const paramsOf = (context: Context): { chainId?: string | undefined; apiKey: string } => {
  const { chainId, apiKey = context.get('apiKey') } = context.params as Record<string, string | undefined>;
  return { chainId, apiKey };
};

/** Larger than most requests, in bytes. */
export const SHORT_BODY = 16_384;

const isShort = ({ request }: Context): boolean => Number(request.get('content-length') || Infinity) <= SHORT_BODY;

/** The JSON-RPC interface (behaviour 2.1). Every error has a complete JSON-RPC body. */
export const rpcRouter = ({ service, readBody, answerRequest, publicError }: RpcRouterOptions): Router => {
  const router = new Router();

  /** Keeps a request that is refused before it is read, so that the operator sees it. */
  const keepRefused = async (context: Context, error: EngineError): Promise<void> => {
    const { apiKey, chainId } = paramsOf(context);
    const chain = chainId === undefined ? await service.access.chainOf(apiKey) : readChainId(chainId);
    const paymasterId = await service.access.idOnChain(chain ?? NaN, apiKey);
    service.requests.start({ chainId: chain ?? NaN, paymasterId })({ status: httpStatus(error), error });
  };

  /** Sets the browser origins that may read the answer. @throws EngineError `FORBIDDEN_ORIGIN` */
  const checkOrigin = async (context: Context): Promise<void> => {
    const origin = context.get('Origin');
    // Programs other than browsers send no origin, and need no permission to read an answer.
    const allowed =
      origin === '' ? '*' : await service.run('paymasters.corsOrigin', { apiKey: paramsOf(context).apiKey, origin });
    context.vary('Origin');
    if (allowed === null) {
      const error = new EngineError('FORBIDDEN_ORIGIN', `The origin ${origin.slice(0, 300)} may not use this API key`);
      await keepRefused(context, error);
      throw error;
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
    const { apiKey, chainId } = paramsOf(context);
    const { status, body } = await answerRequest(
      {
        ...(chainId !== undefined && { chainId: readChainId(chainId) }),
        apiKey,
        remoteAddress: context.req.socket.remoteAddress ?? '',
        isShort: isShort(context),
        readText: () => readBody(context),
      },
      toPublicError(context),
    );
    context.status = status;
    context.body = body;
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

  for (const path of [...PATHS, ...KEYLESS_PATHS]) {
    router.post(path, guarded(answer));
    router.options(path, guarded(preflight));
  }
  return router;
};
