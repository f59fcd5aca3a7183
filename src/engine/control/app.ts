import Koa from 'koa';
import { calledBy } from '../base/caller.ts';
import { type CallContext, answerCall } from '../http/answer-call.ts';
import { createBodyReader, readJson } from '../http/json.ts';

const LIMIT_BYTES = 8 * 1024 * 1024;

/**
 * Procedures over the owner-only socket, for the CLI while the engine runs: POST /<procedure> with its input. Only the
 * owner of the data folder can open the socket, so no further check is needed.
 */
export const createControlApp = (calls: CallContext): Koa => {
  const readBody = createBodyReader(LIMIT_BYTES);
  const app = new Koa();
  app.silent = true;
  app.use(async (context) => {
    const receive = async () => ({ name: context.path.slice(1), input: readJson(await readBody(context)) });
    context.body = await calledBy({ via: 'cli', by: 'operator' }, () => answerCall(calls, receive));
  });
  return app;
};
