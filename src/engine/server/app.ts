import { isIP } from 'node:net';
import Koa from 'koa';
import type { Context, Middleware } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import { consoleRouter } from '../console-http/console.ts';
import { type EventStreams, eventStreams, eventsRouter, feedEvents } from '../console-http/events.ts';
import { descriptionRouter } from '../description/router.ts';
import type { Log } from '../base/log.ts';
import { errorEnvelope, managementRouter } from '../management/router.ts';
import { monitoringRouter } from '../monitoring/router.ts';
import { type RateLimits, createRateLimits } from '../rate-limit/rate-limits.ts';
import { createRpcAnswering } from '../rpc/answer-request.ts';
import { plainRequests } from '../rpc/plain-requests.ts';
import { rpcRouter } from '../rpc/router.ts';
import type { Secret } from '../base/secret.ts';
import type { ConsoleService, Service } from '../service/index.ts';
import { calledBy } from '../base/caller.ts';
import { answerCall } from '../http/answer-call.ts';
import { publicError, setRetryAfter } from '../http/errors.ts';
import { type ReadBody, createBodyReader, readJson } from '../http/json.ts';
import { CLOSING, type HttpApp } from '../http/listen.ts';
import { createBodyReceiver, discardRest } from '../http/receive-body.ts';

/** Larger than the input of any console call in a review. */
const CONSOLE_BODY_BYTES = 65_536;
/** The path under which the log records a plain JSON-RPC request. */
const RPC_ROUTE = '/api/v1/:chainId/:apiKey';
/** Maximum number of pages of a review that may be open at the same time. */
const REVIEW_STREAMS = 16;

export interface ConsoleAppContext {
  readonly service: ConsoleService;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly operatorToken: Secret<string>;
  readonly consoleFolder: string | undefined;
  /** The origin that may embed the console; none by default. */
  readonly consoleFramedBy?: string | undefined;
}

export interface HttpContext extends ConsoleAppContext {
  readonly service: Service;
  readonly config: Config;
}

/**
 * True if a Host header names this server by IP address, as localhost, or by a name that the operator has allowed. Any
 * other name could be made by an attacker to resolve to this machine (DNS rebinding).
 */
const isOwnHost = (host: string, allowed: readonly string[]): boolean => {
  if (allowed.includes(host)) return true;
  const hostname = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isIP(hostname) !== 0 || hostname === 'localhost' || hostname.endsWith('.localhost');
};

const answerError = (context: Context, error: EngineError): void => {
  setRetryAfter(context, error);
  context.status = error.status;
  context.body = errorEnvelope(error);
};

/** Returns all errors, including those for unknown routes, in the same JSON format. */
const envelope =
  ({ log, entropy }: ConsoleAppContext): Middleware =>
  async (context, next) => {
    try {
      await next();
    } catch (error) {
      answerError(context, publicError(error, log, entropy));
      return;
    }
    if (context.body !== undefined && context.body !== null) return;
    if (context.status === 404) answerError(context, new EngineError('ROUTE_NOT_FOUND'));
    if (context.status === 405 || context.status === 501) answerError(context, new EngineError('METHOD_NOT_ALLOWED'));
  };

/** Logs an answer. @param start `clock.monotonic()` when the request arrived */
const logAnswer = (
  { log, clock }: Pick<ConsoleAppContext, 'log' | 'clock'>,
  { start, ...answer }: { readonly method: string; readonly route: string; readonly status: number; start: number },
): void => {
  // Successful requests are already in the store. A log line for each would take a twentieth of a decision's CPU time.
  log[answer.status < 400 ? 'debug' : 'info']('http.request', { ...answer, ms: Math.round(clock.monotonic() - start) });
};

const logRequest =
  (app: ConsoleAppContext): Middleware =>
  async (context, next) => {
    const start = app.clock.monotonic();
    await next();
    const { method, status } = context;
    logAnswer(app, { method, route: String(context['_matchedRoute'] ?? 'none'), status, start });
  };

const checkHost =
  (allowed: readonly string[]): Middleware =>
  (context, next) => {
    if (!isOwnHost(context.get('host').toLowerCase(), allowed)) throw new EngineError('FORBIDDEN_HOST');
    return next();
  };

/** `//api/v2/…` is served like `/api/v2/…` (behaviour 8.1). */
const singleSlashes: Middleware = (context, next) => {
  // Koa has no path for a target such as `http://`.
  const path = context.path as string | null;
  if (path === null) throw new EngineError('ROUTE_NOT_FOUND');
  // Checking the path is cheaper than setting it.
  if (path.includes('//')) context.path = path.replaceAll(/\/{2,}/g, '/');
  return next();
};

const securityHeaders: Middleware = (context, next) => {
  context.set('X-Content-Type-Options', 'nosniff');
  context.set('Cache-Control', 'no-store');
  return next();
};

/** Counts requests from other machines. JSON-RPC requests are counted elsewhere, because a batch contains many. */
const limitPeers =
  (limits: RateLimits): Middleware =>
  (context, next) => {
    limits.peer(context.req.socket.remoteAddress ?? '');
    return next();
  };

const discardUnread: Middleware = async (context, next) => {
  await next();
  discardRest(context.req);
};

const baseApp = (context: ConsoleAppContext, allowedHosts: readonly string[]): Koa => {
  const app = new Koa();
  app.silent = true; // Errors are logged by this app, with an allow-list of fields.
  app.use(discardUnread);
  app.use(logRequest(context));
  app.use(securityHeaders);
  app.use(envelope(context));
  app.use(checkHost(allowedHosts));
  app.use(singleSlashes);
  return app;
};

const consoleOf = (context: ConsoleAppContext, readBody: ReadBody, streams: EventStreams) =>
  consoleRouter({
    readJsonBody: async (request) => readJson(await readBody(request)),
    answer: (receive) =>
      calledBy({ via: 'console', by: 'operator' }, () =>
        answerCall({ ...context, service: () => context.service }, receive),
      ),
    streams,
    feed: feedEvents(context.service),
    operatorToken: context.operatorToken,
    folder: context.consoleFolder,
    framedBy: context.consoleFramedBy,
  });

export const createConsoleApp = (context: ConsoleAppContext): Koa => {
  const streams = eventStreams(context, () => REVIEW_STREAMS);
  const console = consoleOf(context, createBodyReader(CONSOLE_BODY_BYTES), streams);
  const app = baseApp(context, []);
  app.on(CLOSING, () => streams.end());
  app.use(console.routes());
  app.use(console.allowedMethods());
  return app;
};

/** The service's HTTP application: management interface, JSON-RPC, descriptions, events and console. */
export const createHttpApp = (context: HttpContext): HttpApp => {
  const { service, config, log, entropy, clock } = context;
  const bodies = createBodyReceiver();
  const readBody = createBodyReader(config.bodyLimitBytes, { receiver: bodies });
  const limits = createRateLimits(config, clock);
  const answering = createRpcAnswering({ service, limits, showReasons: () => config.showReasons });
  const toPublicError = (error: unknown): EngineError => publicError(error, log, entropy);
  const rpc = rpcRouter({
    ...answering,
    readBody: createBodyReader(config.rpcBodyLimitBytes, { receiver: bodies, isAnyType: true }),
    publicError: toPublicError,
  });
  const plain = plainRequests({
    ...answering,
    bodies,
    limitBytes: config.rpcBodyLimitBytes,
    isOwnHost: (host) => isOwnHost(host, config.allowedHosts),
    publicError: toPublicError,
    logAnswer: (status, start) => logAnswer(context, { method: 'POST', route: RPC_ROUTE, status, start }),
    now: () => clock.monotonic(),
  });
  const streams = eventStreams(context, () => config.eventStreamsPerToken);
  const console = consoleOf(context, readBody, streams);
  const others = [managementRouter(service, readBody), descriptionRouter(), eventsRouter(service, streams), console];
  const app = baseApp(context, config.allowedHosts);
  app.on(CLOSING, () => streams.end());
  const watched = monitoringRouter(service.monitoring, config.metricsToken);
  app.use(rpc.routes());
  // Requests for monitoring are not rate-limited, because most of them arrive when there is most to see.
  app.use(watched.routes());
  app.use(limitPeers(limits));
  for (const router of others) app.use(router.routes());
  for (const router of [rpc, watched, ...others]) app.use(router.allowedMethods());
  const answer = app.callback();
  return {
    callback: () => (request, response) => plain(request, response) ?? answer(request, response),
    emit: (event) => app.emit(event),
  };
};
