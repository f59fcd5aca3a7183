import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ConsoleService, Service } from '../service/index.ts';

const HEARTBEAT_MS = 15_000;
/** Unread bytes of a client after which the stream waits. One event may exceed it. */
const BUFFER_BYTES = 64 * 1024;
/** A client that reads nothing for this long is disconnected. It may reconnect with `Last-Event-ID`. */
const STALL_MS = 30_000;

/** Sends what was read, perhaps on several streams, as events. */
type SendEvents = (read: object, events: () => readonly ServerSentEvent[]) => Promise<void>;

export interface EventSource {
  readonly follower: string;
  readonly follow: (after: number | undefined, send: SendEvents) => ReturnType<ConsoleService['follow']>;
  /** Rejects once the stream must end. */
  readonly stillAllowed?: () => Promise<unknown>;
}

/** As sent on the wire (HTML, 9.2.5). */
interface ServerSentEvent {
  /** A client that has this event has seen everything up to this position. */
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

/** JSON text contains no line breaks. */
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

/** Encoded pages: streams that send the same page share one copy. */
const encodedPages = new WeakMap<object, readonly Buffer[]>();

/** The client's last position; undefined if it sends none. A reconnecting browser requests its first URL again. */
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

/** Waits until the stream can take more. Ends it after too long. */
const drained = async (out: PassThrough, clock: Clock): Promise<void> => {
  const over = new AbortController();
  const cancel = clock.setTimer(STALL_MS, () => out.destroy());
  await Promise.race(['drain', 'close'].map((event) => once(out, event, { signal: over.signal })));
  over.abort();
  cancel();
};

/** Server-sent events. The maximum per follower is read for each new stream. */
export const eventStreams = (
  { clock, log }: { clock: Clock; log: Log },
  mostPerFollower: () => number,
): EventStreams => {
  const streams = new Map<PassThrough, EventSource['follower']>();

  /** Requires that the follower may open one more stream. @throws EngineError `TOO_MANY_STREAMS` */
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
        // Unread data would delay the end; the client requests it again.
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
 * `GET /events`: whole decisions. An account's auth token gets those of all its DApps, the token of one DApp only its
 * own.
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
      // The token may be revoked or expire meanwhile.
      stillAllowed: () => access.token(authToken),
    });
  });
  return router;
};
