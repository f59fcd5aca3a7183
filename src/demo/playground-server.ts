import { join } from 'node:path';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { z } from 'zod';
import { systemClock } from '../engine/base/clock.ts';
import { createLog } from '../engine/base/log.ts';
import { readConsoleFile } from '../engine/console-http/console-files.ts';
import { createBodyReader, readJson } from '../engine/http/json.ts';
import { listen } from '../engine/http/listen.ts';
import { address } from '../shared/schema/hex.ts';
import { id } from '../shared/schema/text.ts';
import { bundlerRequest } from './bundler.ts';
import { switchNames } from './playground-scene.ts';
import { type Playground, openPlayground } from './playground.ts';

export interface ServedPlayground {
  readonly url: string;
  stop(): Promise<void>;
}

const BODY_BYTES = 65_536;
const DAY_SECONDS = 86_400;
const FOLDER = join(import.meta.dirname, '..', '..', 'out', 'playground');

const readBody = createBodyReader(BODY_BYTES);
const read = async <Body>(context: Context, schema: z.ZodType<Body>): Promise<Body> =>
  schema.parse(readJson(await readBody(context)));

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Refuses requests from other pages, because no other site may use a server on this machine. */
const ownPageOnly: Koa.Middleware = async (context, next) => {
  const host = context.get('host');
  const origin = context.get('origin');
  const isOwn = /^127[.]0[.]0[.]1:\d+$/.test(host) && (origin === '' || origin === `http://${host}`);
  if (!isOwn) context.throw(403, 'Only the page of the playground may send this request');
  await next();
};

const answerErrors: Koa.Middleware = async (context, next) => {
  try {
    await next();
  } catch (error) {
    const { status } = error as { status?: number };
    context.status = error instanceof z.ZodError ? 400 : (status ?? 500);
    context.body = { message: words(error) };
  }
};

const on = z.strictObject({ on: z.boolean() });
const flip = on.extend({ name: z.enum(switchNames) });
const forward = z.strictObject({ seconds: z.int().min(1).max(DAY_SECONDS) });
const to = z.strictObject({ to: address });
const fixed = z.strictObject({ decisionId: id });
const user = z.strictObject({ subject: z.string(), sender: address });

/** The routes for the page. @param current returns the open playground */
const routesOf = (current: () => Playground, reset: () => Promise<void>): Router => {
  const router = new Router();
  const action = (path: string, act: (context: Context) => Promise<unknown>): void => {
    router.post(path, async (context) => {
      await act(context);
      context.body = current().state();
    });
  };
  router.get('/scene', (context) => {
    context.body = current().scene;
  });
  router.get('/state', (context) => {
    context.body = current().state();
  });
  router.get('/newest-decision', async (context) => {
    const sender = address.optional().parse(context.query['sender']);
    context.body = { id: (await current().newestDecision(sender)) ?? null };
  });
  router.get('/decision', async (context) => {
    context.body = await current().decision(id.parse(context.query['id']));
  });
  router.post('/voucher', async (context) => {
    const { subject, sender } = await read(context, user);
    context.body = current().voucherFor(subject, sender);
  });
  router.post('/webhook', (context) => {
    context.body = { arePoliciesVerified: current().isVerified };
  });
  router.post('/bundler', async (context) => {
    const { bundler } = current();
    const { id, params } = await read(context, bundlerRequest);
    const answer = await bundler.submit(params[0]).then(
      () => ({ result: bundler.hashOf(params[0]) }),
      // The error that a bundler returns for an invalid operation (ERC-7769).
      (error: unknown) => ({ error: { code: -32500, message: words(error) } }),
    );
    context.body = { jsonrpc: '2.0', id, ...answer };
  });
  action('/switches', async (context) => {
    const { name, on: wanted } = await read(context, flip);
    await current().flip(name, wanted);
  });
  action('/traffic', async (context) => current().setTraffic((await read(context, on)).on));
  action('/clock', async (context) => current().forward((await read(context, forward)).seconds));
  action('/faucet', async (context) => current().giveTokens((await read(context, to)).to));
  action('/fix', async (context) => current().fix((await read(context, fixed)).decisionId));
  action('/reset', reset);
  return router;
};

/** Serves the page's files. The page may connect to Gasdesk and the chain, and show the console in a frame. */
const servePage =
  (current: () => Playground): Koa.Middleware =>
  async (context) => {
    if (context.method !== 'GET') return;
    const { deskUrl, chainUrl } = current().scene;
    const reach = { connect: `'self' ${deskUrl} ${chainUrl}`, frames: deskUrl };
    const file = await readConsoleFile(FOLDER, context.path, reach);
    if (file === undefined) return;
    context.set({ ...file.headers, 'Cache-Control': 'no-store' });
    context.body = file.content;
  };

/** Opens the playground, and serves it on a free port of 127.0.0.1. @throws Error if a step fails */
export const servePlayground = async (): Promise<ServedPlayground> => {
  let playground: Playground | undefined;
  const current = (): Playground => {
    if (playground !== undefined) return playground;
    throw Object.assign(new Error('The playground is being set up. Try again in a few seconds'), { status: 503 });
  };
  let resetting: Promise<void> | undefined;
  const reset = (): Promise<void> => {
    resetting ??= startAnew().finally(() => (resetting = undefined));
    return resetting;
  };

  const app = new Koa();
  app.silent = true;
  app.use(answerErrors);
  app.use(ownPageOnly);
  app.use(routesOf(current, reset).routes());
  app.use(servePage(current));
  const log = createLog({ level: 'error' });
  const serving = {
    requestTimeoutMs: 30_000,
    maxConnections: 256,
    connectionSharePercent: 100,
    clock: systemClock,
    log,
  };
  const listening = await listen(app, { host: '127.0.0.1', port: 0 }, serving);

  const open = async (): Promise<void> => {
    const origin = listening.url;
    playground = await openPlayground({ origin, webhookUrl: `${origin}/webhook` });
  };
  const startAnew = async (): Promise<void> => {
    const before = playground;
    playground = undefined;
    await before?.end();
    await open();
  };
  const stop = async (): Promise<void> => {
    await resetting?.catch(() => undefined);
    await playground?.end();
    await listening.close();
  };
  try {
    await open();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `${listening.url}/`, stop };
};
