import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts';
import { EngineError } from '../../shared/errors.ts';
import { writeDurably } from '../data-folder/write-durably.ts';
import { logLevels } from '../base/log.ts';
import { Secret } from '../base/secret.ts';
import { backupSettings, secret } from './backup-settings.ts';
import { hasPassword, isDatabaseUrl, withoutPassword } from './database-url.ts';
import { nearestName } from './nearest-name.ts';

/** A limit of requests per minute. All of them may arrive at the same time. */
const rateLimit = (standard: number) =>
  z
    .int()
    .min(0)
    .max(1_000_000)
    .default(standard)
    .describe('an integer from 0 to 1000000 (requests per minute, 0 for no limit)');

const bodyLimit = (standard: number) =>
  z.int().min(1_024).max(16_777_216).default(standard).describe('an integer from 1024 to 16777216 (bytes)');

/**
 * Every setting with its check, its default and, as its description, the accepted values. A secret setting contains a
 * `Secret`.
 */
const configSchema = z.strictObject({
  host: z
    .string()
    .regex(/^[^\s/]+$/)
    .default('127.0.0.1')
    .describe('a host name or an IP address'),
  port: z.int().min(0).max(65_535).default(8645).describe('an integer from 0 to 65535, 0 for any free port'),
  allowedHosts: z
    .array(z.string().regex(/^[^\s/,@]+$/))
    .readonly()
    .default([])
    .describe('a list of hosts or host:port, as in the Host header'),
  logLevel: z
    .enum(logLevels)
    .default('info')
    .describe(`one of: ${logLevels.join(', ')}`),
  showReasons: z.boolean().default(true).describe('true or false'),
  chainTimeoutMs: z.int().min(100).max(60_000).default(5_000).describe('an integer from 100 to 60000 (milliseconds)'),
  requestTimeoutMs: z
    .int()
    .min(1_000)
    .max(600_000)
    .default(30_000)
    .describe('an integer from 1000 to 600000 (milliseconds)'),
  settlementPollMs: z
    .int()
    .min(500)
    .max(600_000)
    .default(4_000)
    .describe('an integer from 500 to 600000 (milliseconds)'),
  webhookTimeoutMs: z.int().min(100).max(30_000).default(3_000).describe('an integer from 100 to 30000 (milliseconds)'),
  webhookAllowPrivate: z.boolean().default(true).describe('true or false'),
  webhookMaxConcurrent: z.int().min(1).max(1_000).default(32).describe('an integer from 1 to 1000'),
  blankWebhookData: z.boolean().default(false).describe('true or false'),
  outstandingSharePercent: z
    .int()
    .min(1)
    .max(100)
    .default(25)
    .describe(
      'an integer from 1 to 100 (maximum percentage of a shared gas tank that one sender or DApp may have outstanding, 100 for no limit)',
    ),
  // More requests than one machine can decide or honest users send. The limit refuses only runaway programs.
  rateLimitPerKey: rateLimit(120_000),
  rateLimitPerSender: rateLimit(6_000),
  rateLimitPerIp: rateLimit(6_000),
  // The operator may pay the bundler for each request. Wallets ask for a receipt every few seconds.
  rateLimitForwarded: rateLimit(6_000),
  // Requests to the management interface may contain complete ABIs. An operation is far smaller.
  bodyLimitBytes: bodyLimit(1_048_576),
  rpcBodyLimitBytes: bodyLimit(131_072),
  metricsToken: secret(/^(?:[!-~]{16,200})?$/).describe(
    '16 to 200 printable characters without spaces, or empty: other machines cannot read the metrics',
  ),
  maxConnections: z.int().min(16).max(100_000).default(4_096).describe('an integer from 16 to 100000'),
  connectionSharePercent: z
    .int()
    .min(1)
    .max(100)
    .default(25)
    .describe('an integer from 1 to 100 (maximum percentage of the connections that one IP address may have)'),
  eventStreamsPerToken: z.int().min(1).max(1_000).default(16).describe('an integer from 1 to 1000'),
  // May contain a password. Undefined means SQLite.
  database: z
    .string()
    .refine((text) => text === '' || isDatabaseUrl(text))
    .transform((text) => (text === '' ? undefined : new Secret(text)))
    .prefault('')
    .describe('a postgres:// or postgresql:// URL, percent-encoded; empty for SQLite in the data folder'),
  ...backupSettings,
});

export type Config = Readonly<z.output<typeof configSchema>>;

type Key = keyof Config;

/** Sources of settings, highest precedence first. Defaults have the lowest. */
export interface ConfigSources {
  /** From the command line, by key of {@link Config}: text, or values of the setting's type. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** The environment; `GASDESK_CHAIN_TIMEOUT_MS` sets `chainTimeoutMs`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Path of `gasdesk.json`. The file need not exist. */
  readonly file?: string;
}

/** One setting as `config print` shows it, without secrets. */
export interface ConfigEntry {
  readonly key: Key;
  readonly value: unknown;
  /** `--port`, `GASDESK_PORT`, the path of the file, or `default`. */
  readonly source: string;
}

/** A change to one setting. The value is text or has the setting's type; null removes the setting from the file. */
export interface ConfigChange {
  readonly key: string;
  readonly value: unknown;
}

export const acceptedBySetting = new Map<string, string>(
  Object.entries(configSchema.shape).map(([key, schema]) => [key, schema.description ?? '']),
);

/** Environment variables with the prefix of settings that are not settings. */
const OTHER_VARIABLES = new Set(['GASDESK_PASSPHRASE', 'GASDESK_KEYSTORE_PASSWORD', 'GASDESK_ANVIL']);

/** Variables that would name the data folder. Only an option does, because settings are read from a file in the folder. */
const FOLDER_VARIABLE = /^GASDESK_(DATA|(DATA_?)?(DIR|DIRECTORY|FOLDER|HOME|PATH))$/;

const keys = Object.keys(configSchema.shape) as Key[];
const defaults: Config = configSchema.parse({});

/** `chainTimeoutMs` → `chain-timeout-ms` or `chain_timeout_ms`. */
const separated = (key: string, separator: string): string =>
  key.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
const flagName = (key: string): string => `--${separated(key, '-')}`;
const variableName = (key: string): string => `GASDESK_${separated(key, '_').toUpperCase()}`;

/** The values of one source, by setting. Unknown names are kept as they are. */
interface Layer {
  readonly values: Readonly<Record<string, unknown>>;
  readonly source: (key: string) => string;
}

/**
 * Loads the configuration. All sources are checked: an error counts even if a source of higher precedence overrides the
 * value.
 *
 * @throws {@link EngineError} `CONFIG_INVALID`; its message names setting, source and accepted values, `data.errors`
 * lists all errors
 */
export const loadConfig = (sources: ConfigSources): Config => {
  const entries = resolve(sources).map(({ key, value }) => [key, value]);
  return Object.freeze(configSchema.parse(Object.fromEntries(entries)));
};

/**
 * The value of a setting as it may be printed: a database URL without its password; for other secrets, only whether
 * they are set.
 */
export const shownValue = (key: string, value: unknown): unknown => {
  if (key === 'database') return value instanceof Secret ? withoutPassword((value as Secret<string>).reveal()) : '';
  if (!(value instanceof Secret)) return value;
  return value.reveal() === '' ? '' : String(value);
};

/**
 * Every setting with its printable value and its source.
 *
 * @throws {@link EngineError} `CONFIG_INVALID`
 */
export const describeConfig = (sources: ConfigSources): readonly ConfigEntry[] =>
  resolve(sources).map((entry) => {
    const { data } = configSchema.shape[entry.key].safeParse(entry.value);
    const isSecret = data instanceof Secret || entry.key === 'database';
    return isSecret ? { ...entry, value: shownValue(entry.key, data) } : entry;
  });

/**
 * Stores a setting in the file. The file is always complete, even if the process crashes.
 *
 * @throws {@link EngineError} `CONFIG_INVALID`, also if the file has another error; `CONFIG_OVERRIDDEN` if a flag or
 * the environment overrides the file; `DATA_FOLDER_UNUSABLE`
 */
export const saveSetting = ({ flags = {}, env = {} }: ConfigSources, file: string, change: ConfigChange): void => {
  const { key } = change;
  const winner = [flagLayer(flags), environmentLayer(env)].find(({ values }) => values[key] !== undefined);
  if (winner !== undefined) {
    const message = `${winner.source(key)} sets ${key} and overrides ${file}. Change it there`;
    throw new EngineError('CONFIG_OVERRIDDEN', message, { source: winner.source(key) });
  }
  const { [key]: _before, ...others } = fileLayer(file).values;
  const values = change.value === null ? others : { ...others, [key]: fromText(key, change.value) };
  if (layerErrors({ values: { [key]: values[key] }, source: () => file }).length > 0) {
    throw new EngineError('CONFIG_INVALID', `${key} must be ${acceptedBySetting.get(key) ?? 'valid'}`);
  }
  const errors = layerErrors({ values, source: () => file });
  if (errors.length > 0) throw invalid(errors);
  writeDurably(file, `${JSON.stringify(values, null, 2)}\n`);
};

/**
 * The settings file to store in a backup: without the URL of an external database, and without the target of a
 * continuous backup, which the restored desk must not share with this one. Invalid JSON is returned unchanged.
 */
export const portableSettings = (text: string): string => {
  const json = parseJson(text);
  if (typeof json !== 'object' || json === null || !('database' in json || 'continuousBackup' in json)) return text;
  const { database: _elsewhere, continuousBackup: _shared, ...others } = json as Record<string, unknown>;
  return `${JSON.stringify(others, null, 2)}\n`;
};

const resolve = ({ flags = {}, env = {}, file }: ConfigSources): ConfigEntry[] => {
  const layers = [flagLayer(flags), environmentLayer(env), ...(file === undefined ? [] : [fileLayer(file)])];
  const errors = [...layers.flatMap(layerErrors), ...shownToOthers(flags['database'], '--database')];
  if (errors.length > 0) throw invalid(errors);
  return keys.map((key) => {
    const layer = layers.find(({ values }) => values[key] !== undefined);
    return layer
      ? { key, value: layer.values[key], source: layer.source(key) }
      : { key, value: defaults[key], source: 'default' };
  });
};

const invalid = (errors: readonly string[]): EngineError =>
  new EngineError('CONFIG_INVALID', `Configuration: ${errors.join('; ')}`, { errors });

const flagLayer = (flags: Readonly<Record<string, unknown>>): Layer => ({
  values: Object.fromEntries(Object.entries(flags).map(([key, value]) => [key, fromText(key, value)])),
  source: flagName,
});

const environmentLayer = (env: Readonly<Record<string, string | undefined>>): Layer => {
  const byVariable = new Map<string, string>(keys.map((key) => [variableName(key), key]));
  const ours = Object.entries(env).filter(([name]) => name.startsWith('GASDESK_') && !OTHER_VARIABLES.has(name));
  const values = ours.map(([name, text]): [string, unknown] => {
    const key = byVariable.get(name);
    return key === undefined ? [name, text] : [key, fromText(key, text)];
  });
  return { values: Object.fromEntries(values), source: (key) => (keys.includes(key as Key) ? variableName(key) : key) };
};

const fileLayer = (file: string): Layer => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { values: {}, source: () => file };
    throw invalid([`cannot read ${file} (${(cause as Error).message})`]);
  }
  const refused = `${file} must contain one JSON object`;
  let json: unknown;
  try {
    json = JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    // What the parser quotes of the file is left out, because it may contain secrets.
    throw invalid([`${refused} (${(error as Error).message.replace(/, (\.\.\.)?".*/s, '')})`]);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw invalid([refused]);
  return { values: { ...json }, source: () => file };
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Converts text from the command line or the environment to the type of the setting's default. */
const fromText = (key: string, value: unknown): unknown => {
  const example: unknown = keys.includes(key as Key) ? defaults[key as Key] : undefined;
  if (typeof value !== 'string') return value;
  if (typeof example === 'number') return /^\d+$/.test(value) ? Number(value) : value;
  if (typeof example === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  if (Array.isArray(example)) return value === '' ? [] : value.split(',').map((item) => item.trim());
  return value;
};

/**
 * Errors for a password in a command-line option, because every user of a machine can read the arguments of its
 * processes. @param flag the option with the URL
 */
const shownToOthers = (database: unknown, flag: string): string[] =>
  typeof database === 'string' && hasPassword(database)
    ? [
        `database (from ${flag}) must not contain a password, since other users of this machine can read arguments. ` +
          'Put the URL into GASDESK_DATABASE, or the password into PGPASSWORD or a password file (PGPASSFILE, ~/.pgpass)',
      ]
    : [];

/**
 * Refuses a database URL that contains a password. For the URLs in options other than `--database`, which
 * {@link loadConfig} checks.
 *
 * @param flag the option that contains the URL
 * @throws EngineError `CONFIG_INVALID`
 */
export const requireNoPassword = (url: string, flag: string): void => {
  const errors = shownToOthers(url, flag);
  if (errors.length > 0) throw invalid(errors);
};

/** Errors name the setting but never quote its value, because a misspelt variable may contain a passphrase. */
const layerErrors = ({ values, source }: Layer): string[] =>
  Object.entries(values).flatMap(([key, value]) => {
    const known = keys.find((name) => name === key);
    if (known === undefined) return value === undefined ? [] : [unknownKey(key, source(key))];
    const schema = configSchema.shape[known];
    if (schema.safeParse(value).success) return [];
    return [`${key} (from ${source(key)}) must be ${schema.description ?? 'valid'}`];
  });

/** Which setting was probably meant. @param nearest undefined if none is similar */
const meantWords = (nearest: string | undefined): string =>
  nearest === undefined ? `The settings are: ${keys.join(', ')}` : `Did you mean ${nearest}?`;

/** Says that a setting does not exist, and which one was probably meant. */
export const notASetting = (key: string): string => `${key} is not a setting. ${meantWords(nearestName(key, keys))}`;

const unknownKey = (key: string, source: string): string => {
  // A variable is its own source.
  if (key !== source) return `${key} (from ${source}) is not a setting. ${meantWords(nearestName(key, keys))}`;
  const variables = [...keys.map(variableName), ...OTHER_VARIABLES];
  const help = FOLDER_VARIABLE.test(key)
    ? 'To choose the data folder, use the option --data'
    : meantWords(nearestName(key, variables));
  return `${key} (from the environment) is not a setting. ${help}`;
};
