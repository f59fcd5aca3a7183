import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { ConsoleService, Service } from '../service/index.ts';

const HEARTBEAT_MS = 15_000;
/** What a client may leave unread before it is waited for; beyond it, of one decision more. */
const BUFFER_BYTES = 64 * 1024;
/** A client that takes nothing for so long is disconnected; it may come back with `Last-Event-ID`. */
const STALL_MS = 30_000;

/** What the streams work with. */
export interface EventsContext {
  readonly service: ConsoleService;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whose decisions a stream carries, and until when. */
interface Audience {
  /** Only the DApps of this account; undefined: all. */
  readonly accountId?: string;
  /** Rejects once the stream has to end. */
  readonly stillAllowed?: () => Promise<unknown>;
}

/** Streams of decisions, and the end of all of them. */
export interface DecisionStreams {
  /** Answers a request with decisions as they are made, from the last one the client has seen. */
  serve(context: Context, audience?: Audience): Promise<void>;
  /** Ends the streams; their clients will reconnect. */
  end(): void;
}

/** One decision as a server-sent event (HTML, 9.2.5). JSON text has no line breaks. */
const eventOf = (decision: DecisionRecord): string =>
  `id: ${decision.seq}\nevent: decision\ndata: ${JSON.stringify(decision)}\n\n`;

/** The `seq` that a client has seen; undefined if it says none. A reconnecting browser sends its first URL again. */
const lastSeen = (context: Context): number | undefined => {
  const text = context.get('Last-Event-ID') || context.query['after'];
  if (text === undefined || text === '') return undefined;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw new EngineError('VALIDATION', 'Last-Event-ID and after must be the seq of a decision');
};

/** Runs `fn` every `ms` milliseconds until the returned function is called. */
const every = (clock: Clock, ms: number, fn: () => void): (() => void) => {
  let cancel = (): void => undefined;
  const arm = (): void => {
    cancel = clock.setTimer(ms, () => {
      arm();
      fn();
    });
  };
  arm();
  return () => cancel();
};

/** Waits until a stream can take more. Ends the stream if that takes too long. */
const drained = async (out: PassThrough, clock: Clock): Promise<void> => {
  const over = new AbortController();
  const cancel = clock.setTimer(STALL_MS, () => out.destroy());
  await Promise.race(['drain', 'close'].map((event) => once(out, event, { signal: over.signal })));
  over.abort();
  cancel();
};

/** Decisions as server-sent events, to as many clients as come. */
export const decisionStreams = ({ service, clock, log }: EventsContext): DecisionStreams => {
  const streams = new Set<PassThrough>();

  const stream = (after: number, { accountId, stillAllowed }: Audience): PassThrough => {
    const out = new PassThrough({ highWaterMark: BUFFER_BYTES });
    /** Ends the stream if its token was revoked. */
    const isOpen = async (): Promise<boolean> => {
      try {
        await stillAllowed?.();
      } catch {
        subscription.cancel();
        out.end();
      }
      return out.writable;
    };
    const tell = async (decision: DecisionRecord): Promise<void> => {
      if ((await isOpen()) && !out.write(eventOf(decision))) await drained(out, clock);
    };
    const beat = async (): Promise<void> => {
      if ((await isOpen()) && !out.writableNeedDrain) out.write(': still here\n\n');
    };
    const subscription = service.subscribe(after, tell, accountId);
    const stopHeartbeat = every(clock, HEARTBEAT_MS, () => void beat());
    out.once('close', () => {
      streams.delete(out);
      stopHeartbeat();
      subscription.cancel();
    });
    subscription.ended.catch((error: unknown) => {
      log.error('events.failed', { err: error });
      out.destroy();
    });
    streams.add(out);
    out.write('retry: 1000\n\n');
    return out;
  };

  return {
    async serve(context, audience = {}) {
      const [newest] = await service.run('decisions.list', { limit: 1 });
      const live = newest?.seq ?? 0;
      // A restored backup may be older than what the client has seen.
      const after = Math.min(lastSeen(context) ?? live, live);
      const out = stream(after, audience);
      context.type = 'text/event-stream';
      context.body = out;
      out.once('close', () => {
        if (!out.readableEnded) context.res.destroy();
      });
    },
    end() {
      for (const open of streams) {
        // What a client does not take would hold up the end; it asks for it again.
        if (open.readableLength > 0) open.destroy();
        else open.end();
      }
    },
  };
};

/** `GET /events`: the decisions for an account's DApps, to whoever has one of its auth tokens. */
export const eventsRouter = (service: Service, streams: DecisionStreams): Router => {
  const router = new Router();
  router.get('/events', async (context) => {
    const authToken = context.get('authToken');
    if (authToken === '') throw new EngineError('AUTH_TOKEN_REQUIRED');
    const accountId = await service.access.account(authToken);
    // The token may be revoked meanwhile.
    await streams.serve(context, { accountId, stillAllowed: () => service.access.account(authToken) });
  });
  return router;
};
