import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Clock ticks of /proc per second: fixed on Linux. */
const TICKS_PER_SECOND = 100;

/** What a process has used so far. */
export interface Usage {
  /** User and system time of all threads, µs; a step is 10,000. */
  readonly cpuMicros: number;
  readonly rssBytes: number;
}

/** A server in a process of its own, which has said where it listens. */
export interface ServerProcess {
  readonly url: string;
  /** Opens its console, if it has one. */
  readonly console?: string;
  usage(): Usage;
  stop(): Promise<void>;
  /** Ends it without warning. */
  kill(): Promise<void>;
}

/** What a process has used so far. */
export const readUsage = (pid: number): Usage => {
  // The name before the last bracket may hold anything; utime and stime are fields 14 and 15 of the whole.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuMicros: (ticks * 1_000_000) / TICKS_PER_SECOND, rssBytes: Number(rss) * 1024 };
};

/** @param printed gets each line of the standard output that is not JSON */
const listening = (
  child: ChildProcess,
  printed: (line: string) => void,
): Promise<Pick<ServerProcess, 'url' | 'console'>> =>
  new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('The server has no standard output');
    const lines = createInterface({ input: child.stdout });
    lines.on('close', () => reject(new Error('The server ended before it listened')));
    lines.on('line', (line) => {
      if (!line.startsWith('{')) {
        printed(line);
        return;
      }
      const { event, ...addresses } = JSON.parse(line) as { event: string; url: string; console?: string };
      if (event === 'listening') resolve(addresses);
    });
  });

interface ServerOptions {
  readonly env?: Record<string, string>;
  /** A file descriptor for the log. */
  readonly stderr?: number;
  /** Gets each line that the server prints besides JSON. */
  readonly printed?: (line: string) => void;
}

/** Starts Node on a script that prints `{"event":"listening","url":…}`. */
export const startServer = async (
  args: readonly string[],
  { env = {}, stderr = 2, printed = () => undefined }: ServerOptions = {},
): Promise<ServerProcess> => {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  const exited = once(child, 'exit');
  const { pid } = child;
  if (pid === undefined) throw new Error('The server could not be started');
  const addresses = await listening(child, printed).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return { ...addresses, usage: () => readUsage(pid), stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
};
