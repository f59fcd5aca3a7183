import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll } from 'vitest';
import { nodeFlags } from '../../scripts/node-flags.ts';
import { runGasdesk } from '../../src/cli/run.ts';
import { PATIENCE_MS } from './patience.ts';

export interface CliResult {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `gasdesk serve` that has printed its line. */
export interface ServingCli {
  readonly url: string;
  /** Address of the console, with its operator token. */
  readonly console: string;
  readonly pid: number;
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
  /** Ends the reader of its log. */
  closeStderr(): void;
  readonly ended: Promise<CliResult>;
}

/** Environment of a command. It inherits nothing: the machine may have a desk of its own. */
export type CliEnvironment = Readonly<Record<string, string>>;

const ROOT = join(import.meta.dirname, '..', '..');
const CLI = join(ROOT, 'src', 'cli', 'index.ts');
/** Halves the time that a command takes to start; the tests start two hundred. */
const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'cli-tests') };
/** A home that cannot be written: a command that forgets `--data` fails and creates nothing. */
const NOWHERE = { HOME: '/dev/null', XDG_DATA_HOME: '/dev/null/data' };

const collect = (stream: Readable): (() => string) => {
  let all = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (all += chunk));
  return () => all;
};

const start = (args: readonly string[], env: CliEnvironment, cli = CLI, timeout?: number) => {
  const child = spawn(process.execPath, [...nodeFlags, cli, ...args], {
    env: { ...NOWHERE, ...COMPILED, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  });
  child.stdin.end();
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const ended = once(child, 'close').then(([code]): CliResult => {
    return { code: code as number | null, stdout: stdout(), stderr: stderr() };
  });
  return { child, stdout, ended };
};

/** A stream that keeps what is written to it. */
const keeping = (): { readonly stream: Writable; readonly text: () => string } => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
};

const runHere = async (args: readonly string[], env: CliEnvironment, input: string): Promise<CliResult> => {
  const [stdout, stderr] = [keeping(), keeping()];
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  const terminal = { env: { ...NOWHERE, ...env }, stdin, stdout: stdout.stream, stderr: stderr.stream };
  const code = await runGasdesk(args, terminal);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
};

/** Runs a command to its end, in this process. */
export const gasdesk = (args: readonly string[], env: CliEnvironment = {}): Promise<CliResult> =>
  runHere(args, env, '');

/** Runs a command that reads `input` from standard input, in this process. */
export const gasdeskReading = (input: string, args: readonly string[]): Promise<CliResult> => runHere(args, {}, input);

/** Runs a command whose standard output goes to a file. @returns its exit code, and what it says */
export const gasdeskInto = (file: string, args: readonly string[]): Pick<CliResult, 'code' | 'stderr'> => {
  const output = openSync(file, 'w');
  try {
    const { status, stderr } = spawnSync(process.execPath, [...nodeFlags, CLI, ...args], {
      env: { ...NOWHERE, ...COMPILED },
      stdio: ['ignore', output, 'pipe'],
      encoding: 'utf8',
    });
    return { code: status, stderr };
  } finally {
    closeSync(output);
  }
};

/**
 * Runs a command to its end in a process of its own, which is killed before the test counts as hung; `cli`: the script of
 * another copy of this program.
 */
export const gasdeskProcess = (args: readonly string[], env: CliEnvironment = {}, cli = CLI): Promise<CliResult> =>
  start(args, env, cli, PATIENCE_MS / 2).ended;

/** A `gasdesk serve` that may still be starting. It is killed before the test counts as hung. */
export const startingServe = (args: readonly string[], env: CliEnvironment) => {
  const { child, ended } = start(['serve', ...args], env, CLI, PATIENCE_MS / 2);
  return { ended, signal: (name: 'SIGTERM' | 'SIGINT'): boolean => child.kill(name) };
};

const startServing = async (
  args: readonly string[],
  env: CliEnvironment,
  keep: (child: ChildProcess) => void,
  cli?: string,
): Promise<ServingCli> => {
  const { child, stdout, ended } = start(['serve', ...args], env, cli);
  keep(child);
  const refused = ended.then(({ stderr }) => {
    throw new Error(`serve ended: ${stderr}`);
  });
  while (!stdout().includes('\n')) await Promise.race([once(child.stdout, 'data'), refused]);
  refused.catch(() => undefined);
  const { url, console } = JSON.parse(stdout()) as { url: string; console: string };
  return {
    url,
    console,
    pid: child.pid ?? 0,
    ended,
    signal: (name) => child.kill(name),
    closeStderr: () => child.stderr.destroy(),
  };
};

/** A `gasdesk demo` whose playground is open. */
export interface PlayingCli {
  readonly url: string;
  end(): Promise<CliResult>;
}

/** Runs `gasdesk demo` until its playground is open; `cli`: the script of another copy of this program. */
export const startPlaying = async (env: CliEnvironment = {}, cli = CLI): Promise<PlayingCli> => {
  const { found, end } = await startPrinting(['demo', '--no-open'], /^The playground is at (\S+)\n/m, env, cli);
  return { url: found[1] ?? '', end: () => end('SIGTERM') };
};

/** A command that runs until it is ended. */
export interface PrintingCli {
  /** What the sign has found. */
  readonly found: RegExpExecArray;
  readonly end: (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') => Promise<CliResult>;
}

/** Runs a command until its standard output has a sign. If the command ends instead, an Error has its output. */
const startPrinting = async (
  args: readonly string[],
  sign: RegExp,
  env: CliEnvironment = {},
  cli = CLI,
): Promise<PrintingCli> => {
  const { child, stdout, ended } = start(args, env, cli);
  const refused = ended.then((result) => {
    throw new Error(`${args.join(' ')} ended: ${result.stdout}${result.stderr}`);
  });
  refused.catch(() => undefined);
  for (;;) {
    const found = sign.exec(stdout());
    if (found !== null) {
      return {
        found,
        end(signal) {
          child.kill(signal);
          return ended;
        },
      };
    }
    await Promise.race([once(child.stdout, 'data'), refused]);
  }
};

/**
 * Gives tests a `gasdesk serve` on a free port, which is killed after the tests of the file. If it ends instead of
 * serving, an Error has its output. `cli`: the script of another copy of this program.
 */
export const useServe = (): ((args: readonly string[], env?: CliEnvironment, cli?: string) => Promise<ServingCli>) => {
  const children: ChildProcess[] = [];
  afterAll(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  });
  return (args, env = {}, cli) => startServing(['--port', '0', ...args], env, (child) => children.push(child), cli);
};

/** Gives tests {@link startPrinting}. Commands that a test has not ended are killed after the tests of the file. */
export const usePrinting = (): typeof startPrinting => {
  const running: PrintingCli[] = [];
  afterAll(async () => {
    await Promise.all(running.map(({ end }) => end('SIGKILL')));
  });
  return async (...args) => {
    const started = await startPrinting(...args);
    running.push(started);
    return started;
  };
};
