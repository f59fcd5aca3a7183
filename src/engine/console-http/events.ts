import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ConsoleService, Service } from '../service/index.ts';

const HEARTBEAT_MS = 15_000;
/** The stream waits while a client has this many unread bytes. A single event may exceed it. */
const BUFFER_BYTES = 64 * 1024;
/** A client that reads nothing for this long is disconnected. It may reconnect with `Last-Event-ID`. */
const STALL_MS = 30_000;

/** Sends the events that `events` makes from a reading. Several streams may send the same reading. */
type SendEvents = (read: object, events: () => readonly ServerSentEvent[]) => Promise<void>;

export interface EventSource {
  readonly follower: string;
  readonly follow: (after: number | undefined, send: SendEvents) => ReturnType<ConsoleService['follow']>;
  /** Rejects once the stream must end, for example because the token was revoked. */
  readonly stillAllowed?: () => Promise<unknown>;
}

/** An event as it is sent (HTML, 9.2.5). */
interface ServerSentEvent {
  /** A client that has received this event has seen everything up to this position. */
  readonly id: number;
  readonly event: string;
  readonly data: object;
}

export interface EventStreams {
  /**
   * Streams events, starting after the client's last position.
   *
   * @throws EngineError `TOO_MANY_STREAMS` if the follower has the maximum
   */
  serve(context: Context, source: EventSource): void;
  end(): void;
}

/** An event as text. JSON contains no line breaks. */
const textOf = ({ id, event, data }: ServerSentEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const bytesOf = (events: readonly ServerSentEvent[]): Buffer[] => {
  const pieces: Buffer[] = [];
  let text = '';
  for (const event of events) {
    text += textOf(event);
    if (text.length < BUFFER_BYTES) continue;
    pieces.push(Buffer.from(text));
    text = '';
  }
  return text === '' ? pieces : [...pieces, Buffer.from(text)];
};

/** Encoded pages. Streams that send the same page share one copy. */
const encodedPages = new WeakMap<object, readonly Buffer[]>();

/**
 * The client's last position; undefined if it sends none. The header has precedence, because a reconnecting browser
 * repeats its first URL.
 */
const lastSeen = (context: Context): number | undefined => {
  const text = context.get('Last-Event-ID') || context.query['after'];
  if (text === undefined || text === '') return undefined;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw new EngineError(
    'VALIDATION',
    'Last-Event-ID and after must be the seq of a decision or a position of the feed',
  );
};

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

/** Waits until the client has read enough. If that takes too long, ends the stream. */
const drained = async (out: PassThrough, clock: Clock): Promise<void> => {
  const over = new AbortController();
  const cancel = clock.setTimer(STALL_MS, () => out.destroy());
  try {
    await Promise.race(['drain', 'close'].map((event) => once(out, event, { signal: over.signal })));
  } catch {
    // The client disconnected: Koa destroys the stream with an error.
  } finally {
    over.abort();
    cancel();
  }
};

/** Serves server-sent events. The maximum of streams per follower is read for each new stream. */
export const eventStreams = (
  { clock, log }: { clock: Clock; log: Log },
  mostPerFollower: () => number,
): EventStreams => {
  const streams = new Map<PassThrough, EventSource['follower']>();

  /** Requires that the follower may open another stream. @throws EngineError `TOO_MANY_STREAMS` */
  const checkRoom = (follower: string): void => {
    const most = mostPerFollower();
    const open = [...streams.values()].filter((other) => other === follower).length;
    if (open < most) return;
    throw new EngineError('TOO_MANY_STREAMS', `This token follows the events ${open} times; it may ${most} times`);
  };

  const stream = (after: number | undefined, { follower, follow, stillAllowed }: EventSource): PassThrough => {
    const out = new PassThrough({ highWaterMark: BUFFER_BYTES });
    out.write('retry: 1000\n\n');
    const isOpen = async (): Promise<boolean> => {
      try {
        await stillAllowed?.();
      } catch {
        subscription.cancel();
        out.end();
      }
      return out.writable;
    };
    const beat = async (): Promise<void> => {
      if ((await isOpen()) && !out.writableNeedDrain) out.write(': still here\n\n');
    };
    const subscription = follow(after, async (read, events) => {
      if (!(await isOpen())) return;
      const pieces = encodedPages.get(read) ?? bytesOf(events());
      encodedPages.set(read, pieces);
      for (const piece of pieces) if (out.writable && !out.write(piece)) await drained(out, clock);
    });
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
    streams.set(out, follower);
    return out;
  };

  return {
    serve(context, source) {
      checkRoom(source.follower);
      const out = stream(lastSeen(context), source);
      context.type = 'text/event-stream';
      context.body = out;
      out.once('close', () => {
        if (!out.readableEnded) context.res.destroy();
      });
    },
    end() {
      for (const open of streams.keys()) {
        // A stream with unread data would end late. The client requests this data again when it reconnects.
        if (open.readableLength > 0) open.destroy();
        else open.end();
      }
    },
  };
};

/** The console's feed over HTTP: pages, each with its position as id. */
export const feedEvents = ({ follow }: Pick<ConsoleService, 'follow'>): EventSource => ({
  follower: 'operator',
  follow: (after, send) => follow(after, (page) => send(page, () => [{ id: page.upTo, event: 'page', data: page }])),
});

/**
 * `GET /events`: complete decisions. The auth token of an account receives those of all its DApps, the token of one
 * DApp only those of that DApp.
 */
export const eventsRouter = ({ access, subscribe }: Service, streams: EventStreams): Router => {
  const router = new Router();
  router.get('/events', async (context) => {
    const authToken = context.get('authToken');
    if (authToken === '') throw new EngineError('AUTH_TOKEN_REQUIRED');
    const { tokenId, accountId, paymasterId } = await access.token(authToken);
    const filter = paymasterId === null ? { accountId } : { paymasterId };
    streams.serve(context, {
      follower: tokenId,
      follow: (after, send) =>
        subscribe(
          after,
          (decisions) =>
            send(decisions, () =>
              decisions.map((decision) => ({ id: decision.seq, event: 'decision', data: decision })),
            ),
          filter,
        ),
      // The token may be revoked or expire while the stream is open.
      stillAllowed: () => access.token(authToken),
    });
  });
  return router;
};
