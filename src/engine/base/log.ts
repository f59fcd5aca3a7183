import { pino } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import { type LogTail, createLogTail } from './log-tail.ts';
import { Secret } from './secret.ts';

/** In increasing order of importance. `silent` writes nothing. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/**
 * The only fields that a log line may have besides `level`, `time`, `event` and `err`. None of them contains a
 * credential: `route` is a pattern, not the path with its API key, and `dapp` is the DApp's id.
 */
export const logFields = [
  'account',
  'address',
  'attempt',
  'bytes',
  'chainId',
  'code',
  'command',
  'count',
  'dapp',
  'decisionId',
  'from',
  'host',
  'method',
  'ms',
  'outcome',
  'pid',
  'port',
  'reason',
  'requestId',
  'route',
  'rule',
  'sender',
  'statement',
  'status',
  'to',
  'transactionHash',
  'userOpHash',
  'version',
  'webhookId',
] as const;

/** Fields named in {@link logFields}, with scalar values, and `err`, which may be anything that was thrown. */
export type LogFields = Readonly<Partial<Record<(typeof logFields)[number] | 'err', unknown>>>;

type Write = (event: string, fields?: LogFields) => void;

/** A log. `event` is a constant name with dots, such as `rpc.request`. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  readonly level: LogLevel;
  /** The last {@link MAX_LINES} lines written. */
  readonly tail: Pick<LogTail, 'since' | 'last'>;
}

const MAX_LINES = 1_000;
const MAX_TEXT = 500;
const MAX_STACK = 4_000;
const MAX_SCRUBBED = 16_384;
const HASH = /^0x[0-9a-f]{64}$/i;
const HASH_FIELDS = new Set<string>(['transactionHash', 'userOpHash']);

/** Patterns of credentials, which error messages of other software may quote. */
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  // Providers put keys into user info, path and query, so only the origin is logged.
  [/\b(https?|wss?):\/\/(?:[^\s/?#"'<>]*@)?([^\s/?#@"'<>]+)(?:[/?#][^\s"'<>]*)?/gi, '$1://$2/…'],
  [/\bgd_[\w-]{20,}/g, '[secret]'],
  [/\bwhsec_[\w+/=-]+/g, '[secret]'],
  [/[\w-]{9}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '[secret]'],
  // At least 32 bytes of hex: a private key, a signature or calldata.
  [/(?:0x)?[0-9a-f]{64,}/gi, '[secret]'],
  [/\bBearer\s+\S+/gi, '[secret]'],
];

const scrub = (text: string, max: number): string => {
  // Limits the cost of a very long text. It is cut between words, so that no half of a credential remains unrecognised.
  const head = text.length > MAX_SCRUBBED ? text.slice(0, Math.max(0, text.lastIndexOf(' ', MAX_SCRUBBED))) : text;
  const clean = CREDENTIALS.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), head);
  return clean.length > max || head.length < text.length ? `${clean.slice(0, max)}…` : clean;
};

const MAX_CACHED_LENGTH = 64;
const MAX_CACHED_TEXTS = 1_000;
const scrubbed = new Map<string, string>();

/**
 * Scrubs a text. Results are cached, because most texts are routes, methods and codes, which repeat with every request.
 */
const scrubText = (text: string): string => {
  const cached = scrubbed.get(text);
  if (cached !== undefined) return cached;
  const clean = scrub(text, MAX_TEXT);
  if (text.length <= MAX_CACHED_LENGTH && scrubbed.size < MAX_CACHED_TEXTS) scrubbed.set(text, clean);
  return clean;
};

const printable = (name: string, value: unknown): unknown => {
  switch (typeof value) {
    case 'string':
      return HASH_FIELDS.has(name) && HASH.test(value) ? value : scrubText(value);
    case 'bigint':
      return scrub(value.toString(), MAX_TEXT);
    case 'number':
    case 'boolean':
      return value;
    default:
      return value === null ? null : value instanceof Secret ? String(value) : undefined;
  }
};

const printableError = (err: unknown): Record<string, unknown> => {
  if (!(err instanceof Error))
    return { message: typeof err === 'string' ? scrub(err, MAX_TEXT) : `not an error: ${typeof err}` };
  const code = 'code' in err ? printable('code', err.code) : undefined;
  return {
    name: scrub(err.name, MAX_TEXT),
    ...(code !== undefined && { code }),
    message: scrub(err.message, MAX_TEXT),
    stack: scrub(err.stack ?? '', MAX_STACK),
  };
};

const allowed = new Set<string>(logFields);

/** The fields that may be printed. `dropped` counts the others, without their names or values. */
const sanitise = (fields: LogFields): Record<string, unknown> => {
  const clean: Record<string, unknown> = {};
  let dropped = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const safe = name === 'err' ? printableError(value) : allowed.has(name) ? printable(name, value) : undefined;
    if (safe === undefined) dropped += 1;
    else clean[name] = safe;
  }
  return dropped === 0 ? clean : { ...clean, dropped };
};

export interface LogOptions {
  readonly level: LogLevel;
  /** Writes one line, which includes its newline. Default: to standard error. */
  readonly write?: (line: string) => void;
  readonly clock?: Clock;
}

interface Sink {
  write(line: string): void;
  flush(): void;
}

/**
 * Standard error. Lines of one event-loop turn are written together, because one write per request is too expensive.
 */
const standardError: Sink = (() => {
  let waiting = '';
  const flush = (): void => {
    if (waiting !== '') process.stderr.write(waiting);
    waiting = '';
  };
  process.once('exit', flush);
  // Its reader may have ended, or its disk may be full. Gasdesk then runs on, and keeps the newest lines in memory.
  process.stderr.on('error', () => undefined);
  return {
    flush,
    write(line) {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
  };
})();

const atOnce = (write: (line: string) => void): Sink => ({ write, flush: () => undefined });

/** Writes one JSON line per event, with only the fields that {@link logFields} allows. */
export const createLog = ({ level, write, clock = systemClock }: LogOptions): Log => {
  const sink = write === undefined ? standardError : atOnce(write);
  const tail = createLogTail(MAX_LINES);
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Prevents pino from adding to `err` what `printableError` omitted.
      serializers: { err: (err: unknown) => err },
    },
    {
      write(line: string) {
        tail.push(line);
        sink.write(line);
      },
    },
  );
  const at =
    (name: Exclude<LogLevel, 'silent'>): Write =>
    (event, fields = {}) => {
      if (!logger.isLevelEnabled(name)) return;
      logger[name](sanitise(fields), event);
      // The process may end right after a warning or an error.
      if (name === 'warn' || name === 'error') sink.flush();
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), level, tail };
};
