import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import { type ReadBody, readJson } from '../http/json.ts';
import type { Service } from '../service/index.ts';
import { dispatch } from './dispatch.ts';
import { failure, httpStatus } from './envelope.ts';

/** Where JSON-RPC is served; the last form takes the key from a header, for those who keep keys out of URLs. */
const PATHS = ['/api/v1/:chainId/:apiKey', '/api/v2/:chainId/:apiKey', '/rpc/:chainId'];

/** What the JSON-RPC routes work with. */
export interface RpcRouterOptions {
  readonly service: Service;
  readonly readBody: ReadBody;
  readonly showReasons: boolean;
  readonly publicFault: (error: unknown) => EngineError;
}

/** A chain id as it stands in a path: decimal. Anything else is no chain's, and Number would take `0x7a69` for one. */
const readChainId = (text: string): number => (/^[1-9]\d*$/.test(text) ? Number(text) : NaN);

const allowAnyOrigin = (context: Context): void => {
  context.set('Access-Control-Allow-Origin', '*');
};

const preflight = (context: Context): void => {
  allowAnyOrigin(context);
  context.set('Access-Control-Allow-Methods', 'POST');
  context.set('Access-Control-Allow-Headers', context.get('Access-Control-Request-Headers') || 'content-type');
  context.set('Access-Control-Max-Age', '86400');
  context.status = 204;
};

/** The JSON-RPC interface (SPEC 3). Every failure is a full JSON-RPC body. */
export const rpcRouter = ({ service, readBody, showReasons, publicFault }: RpcRouterOptions): Router => {
  const router = new Router();

  const answer = async (context: Context): Promise<void> => {
    const { chainId = '', apiKey = context.get('apiKey') } = context.params as Record<string, string>;
    const body = readJson(await readBody(context));
    const caller = { service, chainId: readChainId(chainId), apiKey, showReasons };
    const { status, body: response } = await dispatch(body, caller, publicFault);
    context.status = status;
    context.body = response;
  };

  const handle = async (context: Context): Promise<void> => {
    allowAnyOrigin(context);
    try {
      await answer(context);
    } catch (error) {
      const fault = publicFault(error);
      context.status = httpStatus(fault);
      context.body = failure(null, fault);
    }
  };

  for (const path of PATHS) {
    router.post(path, handle);
    router.options(path, preflight);
  }
  return router;
};
