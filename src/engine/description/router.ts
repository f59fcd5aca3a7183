import Router from '@koa/router';
import { type CachedContent, sendCached, keepContent } from '../http/cached-content.ts';
import { openApiDocument } from './openapi.ts';
import { openRpcDocument } from './openrpc.ts';

export const descriptionRouter = (): Router => {
  const router = new Router();
  const documents = { '/openapi.json': openApiDocument, '/openrpc.json': openRpcDocument };
  for (const [path, describe] of Object.entries(documents)) {
    // Created at the first request, because it takes 30 ms, and most installations never receive such a request.
    let content: Promise<CachedContent> | undefined;
    router.get(path, async (context) => {
      content ??= keepContent(Buffer.from(JSON.stringify(describe())));
      context.type = 'json';
      await sendCached(context, await content);
    });
  }
  return router;
};
