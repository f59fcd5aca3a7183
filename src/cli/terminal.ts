import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import { type Log, type LogLevel, createLog } from '../engine/base/log.ts';

/** The streams of a command: the process's own, or a test's. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
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

/** Runs a command in a terminal. @returns its exit code, 0 unless {@link exitWith} sets another */
export const inTerminal = async (own: Terminal, use: () => Promise<void>): Promise<number> => {
  const run: Run = { terminal: own, exitCode: 0 };
  await runs.run(run, use);
  return run.exitCode;
};

/** Sets the exit code of the running command. The command continues. */
export const exitWith = (code: number): void => {
  currentRun().exitCode = code;
};

/** Writes a line to standard output. */
export const printLine = (line: string): void => {
  terminal().stdout.write(`${line}\n`);
};

/** Writes a line to standard error: progress, and anything that is not a result. */
export const printNote = (line: string): void => {
  terminal().stderr.write(`${line}\n`);
};

/** A log that writes to the standard error of the running command. */
export const commandLog = (level: LogLevel): Log => {
  const { stderr } = terminal();
  // The process's own standard error takes the lines of one turn of the event loop together.
  return createLog({ level, ...(stderr !== process.stderr && { write: (line: string) => void stderr.write(line) }) });
};
