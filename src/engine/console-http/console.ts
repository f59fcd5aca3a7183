import { createHash, timingSafeEqual } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError, errorTable } from '../../shared/errors.ts';
import type { EngineAnswer } from '../../shared/console-bridge.ts';
import type { Secret } from '../base/secret.ts';
import { sendCached } from '../http/cached-content.ts';
import { keepConsoleFiles } from './console-files.ts';
import type { EventSource, EventStreams } from './events.ts';

interface SentCall {
  readonly name: unknown;
  readonly input: unknown;
}

export interface ConsoleContext {
  readonly readJsonBody: (context: Context) => Promise<unknown>;
  /** Answers a call. If `receive` throws, the error becomes the answer. */
  readonly answer: (receive: () => Promise<SentCall>) => Promise<EngineAnswer>;
  readonly streams: EventStreams;
  readonly feed: EventSource;
  /** Created when the engine starts. It authenticates the operator. */
  readonly operatorToken: Secret<string>;
  /** Folder of the built console; undefined if none is served. */
  readonly folder: string | undefined;
  readonly framedBy: string | undefined;
}

const NOT_BUILT = 'The console is not built here. Run "npm run build" in the project\'s folder and reload this page.\n';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests, which have equal length, so the comparison takes constant time. */
const isToken = (sent: string, token: Secret<string>): boolean => timingSafeEqual(digest(sent), digest(token.reveal()));

/** Only the console's own page may call. Browsers send the page's origin in `Origin`. */
const checkOrigin = (context: Context): void => {
  const origin = context.get('origin');
  if (origin === '' || origin === `http://${context.get('host')}` || origin === `https://${context.get('host')}`)
    return;
  throw new EngineError('FORBIDDEN_ORIGIN');
};

/** Requires the operator's token. @throws EngineError `OPERATOR_TOKEN_INVALID`, `FORBIDDEN_ORIGIN` */
const checkOperator = (context: Context, token: Secret<string>): void => {
  checkOrigin(context);
  const [, sent = ''] = /^Bearer (\S{1,200})$/.exec(context.get('authorization')) ?? [];
  if (!isToken(sent, token)) throw new EngineError('OPERATOR_TOKEN_INVALID');
};

const isObject = (value: unknown): value is SentCall => typeof value === 'object' && value !== null;

/** Vite puts a content hash into all file names, except those of the page and its icons. */
const NAMED_BY_CONTENT = /^[/]assets[/][\w.-]+-[\w-]{8}[.](?:css|js|woff2)$/;

/**
 * The console for browsers below `/console/`: its files, which contain no data, procedure calls (`POST call` with
 * `{name, input}`) and the feed as server-sent events (`GET events`). Calls and feed require the operator's token as a
 * bearer token.
 */
export const consoleRouter = (context: ConsoleContext): Router => {
  const { readJsonBody, answer, streams, feed, operatorToken, folder, framedBy } = context;
  const fileAt = folder === undefined ? undefined : keepConsoleFiles(folder, { connect: "'self'", framedBy });
  const router = new Router();

  router.post('/console/call', async (context) => {
    const answered = await answer(async () => {
      checkOperator(context, operatorToken);
      const sent = await readJsonBody(context);
      if (!isObject(sent)) throw new EngineError('VALIDATION', 'body must be an object with name and input');
      return sent;
    });
    if (!answered.ok) context.status = errorTable[answered.code].status;
    context.body = answered;
  });

  router.get('/console/events', (context) => {
    checkOperator(context, operatorToken);
    streams.serve(context, feed);
  });

  router.get(/^\/(?:console(?:\/|$)|$)/, async (context) => {
    if (context.path === '/' || context.path === '/console') {
      context.redirect('/console/');
      return;
    }
    // Not from a URL: a Host that no URL may have would make that an internal error.
    const path = context.path.replace('/console', '');
    const file = await fileAt?.(path);
    if (file !== undefined) {
      context.set({ ...file.headers });
      if (NAMED_BY_CONTENT.test(path)) context.set('Cache-Control', 'public, max-age=31536000, immutable');
      await sendCached(context, file.content);
    } else if (path === '/') {
      context.status = 404;
      context.type = 'text/plain';
      context.body = NOT_BUILT;
    }
  });

  return router;
};
