import pg from 'pg';
import { systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { CommittedPart } from '../database.ts';
import { CHANNEL } from './writer.ts';

/** Advisory locks: the leader holds one, and each engine holds one under its number. */
const LEADER_CLASS = 0x6761_7301;
const ENGINE_CLASS = 0x6761_7302;

/** Interval for checking the other engines, and this engine's own connection. */
const BEAT_MS = 2_000;
/** A connection that does not answer within this time is dropped, and the engine stops being the leader. */
const ANSWER_MS = 4_000;
/** After this many late beats in a row, the last of them on a new connection, the server is silent, not only slow. */
const SILENT_BEATS = 2;

/**
 * The server closes a connection that is silent for this long, and releases its locks, because a frozen process or a
 * network that drops all packets leaves the connection open.
 */
const SILENCE_MS = 6_000;
/**
 * An engine that could not reach the server for this long stops being the leader. This happens before the server allows
 * another engine to become the leader.
 */
const LEASE_MS = 5_000;

/** With these settings, the database server notices within seconds that an engine's machine is gone. */
const NOTICE_SOON = `SELECT set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false),
  set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '${SILENCE_MS}', false),
  set_config('idle_session_timeout', '${SILENCE_MS}', false)`;

/** The database server uses real time, so this code does too, even if a test replaces the engine's clock. */
const clock = systemClock;

/** Resolves after `ms`, or as soon as the signal aborts. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.setTimer(ms, end);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });

/** This engine's connection to the others, kept open as long as possible. */
export interface Session {
  readonly isLeader: () => boolean;
  readonly stop: () => Promise<void>;
}

interface SessionOptions {
  readonly config: pg.ClientConfig;
  /** This engine's number, which identifies it to the others. */
  readonly engine: number;
  readonly log: Log;
  /**
   * Called when another engine has committed, with the changed part. Called for every part after a gap in listening.
   */
  readonly onCommitted: (part: CommittedPart) => void;
  /** Called at each beat, with the engines that are alive, and whether this one leads. */
  readonly onBeat: (engines: readonly number[], isLeader: boolean) => Promise<void>;
  /** Called at each beat while the server accepts connections, but does not answer. */
  readonly onSilent: () => void;
}

const LIVE = `SELECT objid::bigint AS number FROM pg_locks WHERE locktype = 'advisory' AND classid = ${ENGINE_CLASS}
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

export const enginesOf = async (client: pg.ClientBase): Promise<number[]> =>
  (await client.query<{ number: string }>(LIVE)).rows.map(({ number }) => Number(number));

const parts: readonly CommittedPart[] = ['decisions', 'settings', 'vault'];

/** An attempt to connect, which may be abandoned while it waits. */
interface Attempt {
  isGivenUp: boolean;
}

/** Joins a database's engines. @throws Error of the first connection; later ones are reopened automatically */
export const joinEngines = async (options: SessionOptions): Promise<Session> => {
  const { config, engine, log, onCommitted, onBeat, onSilent } = options;
  const { hostname: host, port } = new URL(config.connectionString ?? '');
  const stopped = new AbortController();
  let client: pg.Client | undefined;
  let isLeader = false;
  let queriedAt = 0;
  let lateBeats = 0;
  let working: Promise<void> | undefined;

  const connect = async (attempt: Attempt): Promise<pg.Client> => {
    const next = new pg.Client(config);
    const lost = (): void => {
      if (client !== next) return;
      client = undefined;
      isLeader = false;
    };
    next.on('error', lost);
    next.on('end', lost);
    next.on('notification', ({ payload = '' }) => {
      const [from, part] = payload.split(' ');
      const committedPart = parts.find((one) => one === part);
      if (Number(from) !== engine && committedPart !== undefined) onCommitted(committedPart);
    });
    try {
      await next.connect();
      await next.query(NOTICE_SOON);
      await next.query(`LISTEN ${CHANNEL}`);
      await next.query('SELECT pg_advisory_lock_shared($1, $2)', [ENGINE_CLASS, engine]);
      if (attempt.isGivenUp) throw new Error('The database answers too late.');
    } catch (error) {
      void next.end().catch(() => undefined);
      throw error;
    }
    client = next;
    return next;
  };

  const beat = async (attempt: Attempt): Promise<void> => {
    if (client === undefined) {
      await connect(attempt);
      for (const part of parts) onCommitted(part);
    }
    const current = client;
    if (current === undefined) return;
    const startedAt = clock.monotonic();
    const wasLeader = isLeader;
    if (!isLeader) {
      const { rows } = await current.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, 0) AS taken', [
        LEADER_CLASS,
      ]);
      isLeader = client === current && rows[0]?.taken === true;
      if (isLeader) log.info('engines.leads');
    }
    const there = await enginesOf(current);
    queriedAt = startedAt;
    // A new leader follows all decisions from now on. Without this call, it would start only with the next decision.
    if (isLeader && !wasLeader) onCommitted('decisions');
    if (working !== undefined) return;
    // Not awaited, because it may wait for other work, and its duration does not show whether this connection works.
    working = onBeat(there, isLeader)
      .catch((err: unknown) => log.warn('engines.beat', { err }))
      .finally(() => (working = undefined));
  };

  const inTime = async (run: (attempt: Attempt) => Promise<void>): Promise<void> => {
    const attempt: Attempt = { isGivenUp: false };
    const answered = new AbortController();
    const lateness = wait(ANSWER_MS, answered.signal).then(() => 'late' as const);
    const lateBefore = lateBeats;
    lateBeats = 0;
    try {
      if ((await Promise.race([run(attempt), lateness])) !== 'late') return;
      lateBeats = lateBefore + 1;
      throw new Error('The database does not answer.');
    } finally {
      attempt.isGivenUp = true;
      answered.abort();
    }
  };

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        await inTime(beat);
      } catch (err) {
        log.warn('engines.connection', { err, host, port });
        const broken = client;
        client = undefined;
        isLeader = false;
        void broken?.end().catch(() => undefined);
        if (lateBeats >= SILENT_BEATS) onSilent();
      }
      await wait(BEAT_MS, stopped.signal);
    }
  };

  await connect({ isGivenUp: false });
  await beat({ isGivenUp: false });
  const ended = run();
  return {
    isLeader: () => isLeader && clock.monotonic() - queriedAt < LEASE_MS,
    async stop() {
      stopped.abort();
      await ended;
      await working;
      await client?.end().catch(() => undefined);
    },
  };
};
