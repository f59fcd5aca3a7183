import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '../api/index.ts';
import { controlClient, engineAnswers, isNobodyThere } from '../engine/control/client.ts';
import { calledBy } from '../engine/base/caller.ts';
import { systemClock } from '../engine/base/clock.ts';
import { loadConfig, shownValue } from '../engine/config/config.ts';
import { type DataFolder, defaultDataFolder, openDataFolder } from '../engine/data-folder/data-folder.ts';
import { holder } from '../engine/data-folder/lock.ts';
import type { Engine } from '../engine/index.ts';
import type { OnRollback } from '../engine/log/watched-database.ts';
import { Secret } from '../engine/base/secret.ts';
import { beginDerivation } from '../engine/signer/vault-file.ts';
import { EngineError } from '../shared/errors.ts';
import { callerByName } from './names.ts';
import { commandLog, terminal, waitingFor } from './terminal.ts';

export interface DeskOptions {
  readonly data?: string;
  readonly database?: string;
  readonly json?: boolean;
  readonly passphraseFile?: string;
}

/** The folder into which `npm run build` writes the console. */
export const CONSOLE_FOLDER = join(import.meta.dirname, '..', '..', 'out', 'renderer');

/** Path of the folder that a command works on, even if it does not exist. */
export const dataPath = ({ data }: DeskOptions): string => data ?? defaultDataFolder(terminal().env);

export const dataFolder = (options: DeskOptions): DataFolder => openDataFolder(dataPath(options));

/** The flag that names a database, if it is set. */
export const databaseFlag = ({ database }: DeskOptions): { readonly database?: string } =>
  database === undefined ? {} : { database };

/** What to do if a file exists that must not be overwritten. */
const NAME_ANOTHER = 'Remove it first, or name another file';

/**
 * Reads or writes a file. @throws EngineError `CONFIG_INVALID`, which says what failed and why, and what to do if the
 * file must not exist
 */
export const onFile = async <T>(what: string, use: () => T | Promise<T>, ifExists = NAME_ANOTHER): Promise<T> => {
  try {
    return await use();
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    const detail = words.startsWith('EEXIST') ? `${words}. ${ifExists}` : words;
    throw new EngineError('CONFIG_INVALID', `Cannot ${what}: ${detail}`, {}, { cause });
  }
};

/**
 * Reads a file that contains one secret. The line break at its end is ignored.
 * @throws EngineError `CONFIG_INVALID` if it cannot be read
 */
const readSecretFile = (file: string): Secret<string> => {
  try {
    return new Secret(readFileSync(file, 'utf8').replace(/\r?\n$/, ''));
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('CONFIG_INVALID', `Cannot read the file ${file}: ${detail}`, {}, { cause });
  }
};

/** The secret in a file, as text. @throws EngineError like {@link readSecretFile} */
export const secretIn = (file: string): string => readSecretFile(file).reveal();

/** The passphrase from the flag or the environment, if any. */
export const givenPassphrase = ({ passphraseFile }: DeskOptions): Secret<string> | undefined => {
  if (passphraseFile !== undefined) return readSecretFile(passphraseFile);
  const { GASDESK_PASSPHRASE } = terminal().env;
  return GASDESK_PASSPHRASE === undefined || GASDESK_PASSPHRASE === '' ? undefined : new Secret(GASDESK_PASSPHRASE);
};

/** The passphrase, for a command that requires one. @throws EngineError `VALIDATION` */
export const requirePassphrase = (options: DeskOptions, of = 'the backup'): Secret<string> => {
  const given = givenPassphrase(options);
  if (given !== undefined && given.reveal() !== '') return given;
  throw new EngineError(
    'VALIDATION',
    `The passphrase of ${of} is missing. Set GASDESK_PASSPHRASE, or use --passphrase-file`,
  );
};

/** Starts an engine on the folder, without serving requests. Its log is written to standard error. */
export const openEngine = async (
  options: DeskOptions,
  flags: Readonly<Record<string, unknown>> = {},
  onRollback: OnRollback = 'refuse',
  stop?: AbortSignal,
): Promise<Engine> => {
  const folder = dataFolder(options);
  const passphrase = givenPassphrase(options);
  if (passphrase !== undefined) beginDerivation(folder.vault, passphrase);
  // Imported here because it takes half of a command's start-up time, and commands that call a running engine do not
  // need it.
  const { createEngine } = await import('../engine/index.ts');
  const configSources = { flags: { ...flags, ...databaseFlag(options) }, env: terminal().env };
  const config = loadConfig({ ...configSources, file: folder.config });
  const log = commandLog(config.logLevel);
  const engine = { folder, config, configSources, log, passphrase, onRollback, ...(stop !== undefined && { stop }) };
  const create = (): Promise<Engine> => createEngine({ ...engine, consoleFolder: CONSOLE_FOLDER });
  const { database } = config;
  return database === undefined
    ? create()
    : waitingFor(`the database ${String(shownValue('database', database))}`, create);
};

/** Refuses a folder that `--data` names and that does not exist: it is probably mistyped. */
export const requireDesk = ({ data, database }: DeskOptions): void => {
  if (data === undefined || database !== undefined || existsSync(data)) return;
  const message = `No desk is in ${data}. Check --data, or start a desk there with: gasdesk serve --data ${data}`;
  throw new EngineError('CONFIG_INVALID', message, { dir: data });
};

/**
 * Runs `use` with the procedures of the engine that runs on the data folder or, if none runs, with those of an engine
 * that this command starts on the folder. In place of ids, the procedures take names and the beginnings of ids.
 */
export const withDesk = async <T>(
  options: DeskOptions,
  use: (call: Caller) => Promise<T>,
  onRollback?: OnRollback,
): Promise<T> => {
  const call = await runningEngine(options);
  if (call === undefined) return withFiles(options, use, onRollback);
  const service = `the service on ${dataPath(options)}`;
  return use(callerByName((name, input) => waitingFor(service, () => call(name, input))));
};

/** A service that runs answers within this time, however long its calls take. A frozen one never does. */
const ANSWER_MS = 10_000;

const notAnswering = (dir: string): EngineError => {
  const pid = holder(dir);
  const [who, resume, end] =
    pid === undefined ? ['', '', ''] : [` (process ${pid})`, ` (kill -CONT ${pid})`, ` (kill -KILL ${pid})`];
  const message = `The service on ${dir}${who} has not answered for ${ANSWER_MS / 1_000} s. If it is suspended, resume it${resume}. Otherwise end it${end}, and start it again`;
  return new EngineError('DATA_FOLDER_IN_USE', message, { dir, ...(pid !== undefined && { pid }) });
};

/** Waits until the engine that runs on the folder answers. @throws EngineError `DATA_FOLDER_IN_USE` if it does not */
const requireAnswer = async ({ dir, controlSocket }: DataFolder, signal?: AbortSignal): Promise<void> => {
  const late = new AbortController();
  const cancel = systemClock.setTimer(ANSWER_MS, () => late.abort());
  try {
    await engineAnswers(controlSocket, AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]));
  } catch (error) {
    throw late.signal.aborted ? notAnswering(dir) : error;
  } finally {
    cancel();
  }
};

/** The procedures of the engine that runs on the data folder. Undefined if none runs. `signal` ends calls that wait. */
export const runningEngine = async (options: DeskOptions, signal?: AbortSignal): Promise<Caller | undefined> => {
  requireDesk(options);
  const folder = dataFolder(options);
  const call = controlClient(folder.controlSocket, signal);
  try {
    await waitingFor(`the service on ${dataPath(options)}`, () => requireAnswer(folder, signal));
  } catch (error) {
    if (!isNobodyThere(error)) throw error;
    return undefined;
  }
  await requireSameDatabase(options, call);
  return call;
};

/** Refuses to continue if the command names another database than the service that runs on the same folder uses. */
const requireSameDatabase = async (options: DeskOptions, call: Caller): Promise<void> => {
  if (options.database === undefined && terminal().env.GASDESK_DATABASE === undefined) return;
  const { database } = loadConfig({ flags: databaseFlag(options), env: terminal().env });
  const wanted = shownValue('database', database);
  const { settings } = await call('config.get', {});
  const running = settings.find(({ key }) => key === 'database')?.value;
  if (running === wanted) return;
  const name = (url: unknown): string => (url === '' ? 'SQLite' : String(url));
  const message = `The service on ${dataPath(options)} uses ${name(running)}, not ${name(wanted)}. Use another --data, or do without --database and GASDESK_DATABASE`;
  throw new EngineError('CONFIG_INVALID', message);
};

const withFiles = async <T>(
  options: DeskOptions,
  use: (call: Caller) => Promise<T>,
  onRollback?: OnRollback,
): Promise<T> => {
  const engine = await openEngine(options, { logLevel: 'error' }, onRollback);
  try {
    return await calledBy({ via: 'cli', by: 'operator' }, () =>
      use(callerByName((name, input) => engine.service.call(name, input))),
    );
  } finally {
    await engine.stop();
  }
};
