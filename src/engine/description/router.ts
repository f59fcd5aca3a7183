import Router from '@koa/router';
import { sendCached, keepContent } from '../http/cached-content.ts';
import { openApiDocument } from './openapi.ts';
import { openRpcDocument } from './openrpc.ts';

export const descriptionRouter = (): Router => {
  const router = new Router();
  const documents = { '/openapi.json': openApiDocument(), '/openrpc.json': openRpcDocument() };
  for (const [path, document] of Object.entries(documents)) {
    const content = keepContent(Buffer.from(JSON.stringify(document)));
    router.get(path, async (context) => {
      context.type = 'json';
      await sendCached(context, await content);
    });
  }
  return router;
};
