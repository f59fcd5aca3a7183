import Router from '@koa/router';
import { openApiDocument } from './openapi.ts';
import { openRpcDocument } from './openrpc.ts';

/** Serves the descriptions at `/openapi.json` and `/openrpc.json`. */
export const descriptionRouter = (): Router => {
  const router = new Router();
  const documents = { '/openapi.json': openApiDocument(), '/openrpc.json': openRpcDocument() };
  for (const [path, document] of Object.entries(documents)) {
    router.get(path, (context) => {
      context.body = document;
    });
  }
  return router;
};
