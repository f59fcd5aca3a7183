import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ConsoleService, Service } from '../service/index.ts';

const HEARTBEAT_MS = 15_000;
/** What a client may leave unread before it is waited for; beyond it, of one event more. */
const BUFFER_BYTES = 64 * 1024;
/** A client that takes nothing for so long is disconnected; it may come back with `Last-Event-ID`. */
const STALL_MS = 30_000;

/** Tells what was read, perhaps by several streams, as the events that it is. */
type Tell = (read: object, events: () => readonly ServerSentEvent[]) => Promise<void>;

/** What a stream tells, to whom, and until when. */
export interface EventSource {
  /** Who follows: the id of an auth token, or the operator. */
  readonly follower: string;
  /** Tells what comes after a position, some at a time. */
  readonly follow: (after: number | undefined, tell: Tell) => ReturnType<ConsoleService['follow']>;
  /** Rejects once the stream has to end. */
  readonly stillAllowed?: () => Promise<unknown>;
}

/** An event as it goes out (HTML, 9.2.5). */
interface ServerSentEvent {
  /** Position up to which a client has seen everything that has this event. */
  readonly id: number;
  readonly event: string;
  readonly data: object;
}

/** Streams of events, and the end of all of them. */
export interface EventStreams {
  /**
   * Answers a request with events as they come, from the position that the client has seen.
   *
   * @throws EngineError `TOO_MANY_STREAMS` if the follower has as many as one may have
   */
  serve(context: Context, source: EventSource): void;
  /** Ends the streams; their clients will reconnect. */
  end(): void;
}

/** JSON text has no line breaks. */
const textOf = ({ id, event, data }: ServerSentEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** The bytes of events, those of small ones together. */
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

/** What is told on several streams, as it goes out: one copy for all of them. */
const toldBytes = new WeakMap<object, readonly Buffer[]>();

/** The position that a client has seen; undefined if it says none. A reconnecting browser sends its first URL again. */
const lastSeen = (context: Context): number | undefined => {
  const text = context.get('Last-Event-ID') || context.query['after'];
  if (text === undefined || text === '') return undefined;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw new EngineError(
    'VALIDATION',
    'Last-Event-ID and after must be the seq of a decision or a position of the feed',
  );
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

/** Server-sent events. How many streams a follower may have is asked for each new one. */
export const eventStreams = (
  { clock, log }: { clock: Clock; log: Log },
  mostPerFollower: () => number,
): EventStreams => {
  const streams = new Map<PassThrough, EventSource['follower']>();

  /** Lets a follower have one more stream. @throws EngineError `TOO_MANY_STREAMS` */
  const checkRoom = (follower: string): void => {
    const most = mostPerFollower();
    const open = [...streams.values()].filter((other) => other === follower).length;
    if (open < most) return;
    throw new EngineError('TOO_MANY_STREAMS', `This token follows the events ${open} times; it may ${most} times`);
  };

  const stream = (after: number | undefined, { follower, follow, stillAllowed }: EventSource): PassThrough => {
    const out = new PassThrough({ highWaterMark: BUFFER_BYTES });
    out.write('retry: 1000\n\n');
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
    const beat = async (): Promise<void> => {
      if ((await isOpen()) && !out.writableNeedDrain) out.write(': still here\n\n');
    };
    const subscription = follow(after, async (read, events) => {
      if (!(await isOpen())) return;
      const pieces = toldBytes.get(read) ?? bytesOf(events());
      toldBytes.set(read, pieces);
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
        // What a client does not take would hold up the end; it asks for it again.
        if (open.readableLength > 0) open.destroy();
        else open.end();
      }
    },
  };
};

/** The feed as the console takes it over HTTP: its pages, each with its position as id. */
export const feedEvents = ({ follow }: Pick<ConsoleService, 'follow'>): EventSource => ({
  follower: 'operator',
  follow: (after, tell) => follow(after, (page) => tell(page, () => [{ id: page.upTo, event: 'page', data: page }])),
});

/** `GET /events`: whole decisions for an account's DApps, to whoever has one of its auth tokens; to a token of one DApp, those for that DApp. */
export const eventsRouter = ({ access, subscribe }: Service, streams: EventStreams): Router => {
  const router = new Router();
  router.get('/events', async (context) => {
    const authToken = context.get('authToken');
    if (authToken === '') throw new EngineError('AUTH_TOKEN_REQUIRED');
    const { tokenId, accountId, paymasterId } = await access.token(authToken);
    const whose = paymasterId === null ? { accountId } : { paymasterId };
    streams.serve(context, {
      follower: tokenId,
      follow: (after, tell) =>
        subscribe(
          after,
          (decisions) =>
            tell(decisions, () =>
              decisions.map((decision) => ({ id: decision.seq, event: 'decision', data: decision })),
            ),
          whose,
        ),
      // The token may be revoked meanwhile, or expire.
      stillAllowed: () => access.token(authToken),
    });
  });
  return router;
};
