import Koa from 'koa';
import type { EngineAnswer } from '../../shared/console-bridge.ts';
import { isProcedureName } from '../../shared/contract/index.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Entropy } from '../clock.ts';
import { publicFault } from '../http/faults.ts';
import { createBodyReader, readJson } from '../http/json.ts';
import type { Log } from '../log.ts';
import type { Service } from '../service/index.ts';

const LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Procedures over the owner-only socket, for the CLI while the engine runs: POST /<procedure> with its input.
 * Whoever can open the socket owns the data folder, so there is no further check.
 */
export const createControlApp = (service: Service, { log, entropy }: { log: Log; entropy: Entropy }): Koa => {
  const readBody = createBodyReader(LIMIT_BYTES);
  const app = new Koa();
  app.silent = true;
  app.use(async (context) => {
    let answer: EngineAnswer;
    try {
      const name = context.path.slice(1);
      if (!isProcedureName(name)) throw new EngineError('METHOD_NOT_FOUND', `There is no procedure ${name}`);
      answer = { ok: true, output: await service.call(name, readJson(await readBody(context))) };
    } catch (error) {
      const { code, message, data } = publicFault(error, log, entropy);
      answer = { ok: false, code, message, data };
    }
    context.body = answer;
  });
  return app;
};
