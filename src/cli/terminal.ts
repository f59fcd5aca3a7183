import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import { type Log, type LogLevel, createLog } from '../engine/base/log.ts';

/** The streams of a command: those of the process, or those of a test. */
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
