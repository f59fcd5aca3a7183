import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { systemClock } from '../engine/base/clock.ts';
import { type Log, type LogLevel, createLog } from '../engine/base/log.ts';

/** A stream that may be a window, which has a width in characters, and not a file or a pipe. */
type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The streams of a command: those of the process, or those of a test. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
}

interface Run {
  readonly terminal: Terminal;
  exitCode: number;
}

const runs = new AsyncLocalStorage<Run>();

const currentRun = (): Run => {
  const run = runs.getStore();
  if (run === undefined) throw new Error('No command is running');
  return run;
};

export const terminal = (): Terminal => currentRun().terminal;

/** Runs a command with a terminal. @returns its exit code, which is 0 unless {@link exitWith} sets another one */
export const inTerminal = async (own: Terminal, use: () => Promise<void>): Promise<number> => {
  const run: Run = { terminal: own, exitCode: 0 };
  await runs.run(run, use);
  return run.exitCode;
};

/** Sets the exit code of the running command, which continues to run. */
export const exitWith = (code: number): void => {
  currentRun().exitCode = code;
};

type Colour = 'green' | 'yellow' | 'red' | 'dim';

/** Colours a text. */
export type Paint = (colour: Colour, text: string) => string;

/** The colours of a stream: none unless it is a window, and none if `NO_COLOR` is set (no-color.org). */
const paintOf = ({ isTTY }: Pick<Output, 'isTTY'>, { NO_COLOR = '', TERM }: NodeJS.ProcessEnv): Paint =>
  isTTY === true && NO_COLOR === '' && TERM !== 'dumb'
    ? (colour, text) => styleText(colour, text, { validateStream: false })
    : (_colour, text) => text;

/** How text looks on standard output. Outside of a command, and on a pipe, it has no colours and any width. */
export const look = (): { readonly paint: Paint; readonly columns: number } => {
  const running = runs.getStore()?.terminal;
  const { isTTY = false, columns = Infinity }: Partial<Output> = running?.stdout ?? {};
  return { paint: paintOf({ isTTY }, running?.env ?? {}), columns: isTTY ? columns : Infinity };
};

const CLEAR_LINE = '\r\u001b[2K';

/**
 * Runs something long, which says on one line of standard error how far it is. The line is removed at the end. Nothing
 * is written if standard error is not a window.
 */
export const withProgress = async <T>(use: (say: (text: string) => void) => Promise<T>): Promise<T> => {
  const { stderr } = terminal();
  const isShown = stderr.isTTY === true;
  try {
    return await use((text) => {
      if (isShown) stderr.write(`${CLEAR_LINE}${text}`);
    });
  } finally {
    if (isShown) stderr.write(CLEAR_LINE);
  }
};

/** Until then, a command that waits says nothing. */
const LATE_MS = 2_000;

/** Runs something that waits for others. If that takes long, says what it waits for, as {@link withProgress} does. */
export const waitingFor = async <T>(what: string, use: () => Promise<T>): Promise<T> => {
  const { stderr } = terminal();
  if (stderr.isTTY !== true) return use();
  let end = systemClock.setTimer(LATE_MS, () => {
    stderr.write(`${CLEAR_LINE}Waiting for ${what} …`);
    end = () => stderr.write(CLEAR_LINE);
  });
  try {
    return await use();
  } finally {
    end();
  }
};

/** Writes an error to standard error, marked as one. */
export const printError = (message: string): void => {
  const { stderr, env } = terminal();
  stderr.write(`${paintOf(stderr, env)('red', 'gasdesk:')} ${message}\n`);
};

/** Writes a line to standard output. */
export const printLine = (line: string): void => {
  terminal().stdout.write(`${line}\n`);
};

/** Writes a line to standard error, for progress and everything else that is not a result. */
export const printNote = (line: string): void => {
  terminal().stderr.write(`${line}\n`);
};

/** A log that writes to the standard error of the running command. */
export const commandLog = (level: LogLevel): Log => {
  const { stderr } = terminal();
  // By default, the lines of one event-loop turn are written to the process's standard error together.
  return createLog({ level, ...(stderr !== process.stderr && { write: (line: string) => void stderr.write(line) }) });
};
