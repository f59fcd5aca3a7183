import { createHash, timingSafeEqual } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import type { Secret } from '../base/secret.ts';
import { peerName } from '../rate-limit/peer.ts';
import type { Monitoring } from '../service/monitoring.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * True for a request from this machine. A proxy on this machine forwards requests from elsewhere, but adds a header.
 */
const isFromHere = (context: Context): boolean =>
  peerName(context.req.socket.remoteAddress ?? '') === undefined &&
  ['forwarded', 'x-forwarded-for'].every((header) => context.get(header) === '');

/** Restricts access to the metrics. @throws EngineError `METRICS_TOKEN_INVALID` */
const checkReader = (context: Context, token: string): void => {
  if (isFromHere(context)) return;
  const [, sent = ''] = /^Bearer (\S{1,200})$/.exec(context.get('authorization')) ?? [];
  // Compares digests, which have equal length, so the comparison takes constant time.
  const isToken = timingSafeEqual(digest(sent), digest(token));
  if (token === '' || !isToken) throw new EngineError('METRICS_TOKEN_INVALID');
};

/**
 * `/metrics` for Prometheus, `/healthz` (the process responds) and `/readyz` (Gasdesk can decide).
 *
 * @param metricsToken allows other machines to read the metrics; empty: only this machine can
 */
export const monitoringRouter = (monitoring: Monitoring, metricsToken: Secret<string>): Router => {
  const router = new Router();
  router.get('/metrics', async (context) => {
    checkReader(context, metricsToken.reveal());
    const { text, contentType } = await monitoring.metrics();
    context.set('Content-Type', contentType);
    context.body = text;
  });
  router.get('/healthz', (context) => {
    context.body = { ok: true };
  });
  router.get('/readyz', async (context) => {
    const missing = await monitoring.missing();
    context.status = missing.length === 0 ? 200 : 503;
    context.body = { ready: missing.length === 0, missing };
  });
  return router;
};
