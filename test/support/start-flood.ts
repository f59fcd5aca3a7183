import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type FloodKind =
  | 'silence'
  | 'lodgers of one address'
  | 'lodgers of many addresses'
  | 'unread answers'
  | 'requests ahead'
  | 'event streams'
  | 'fat data';

/** The desk, and what outsiders know of it. */
export interface FloodTarget {
  readonly url: string;
  readonly chainId: number;
  /** Of a DApp: attackers know it, too. */
  readonly apiKey: string;
  /** Auth tokens of tenants who follow the events. */
  readonly tokens: readonly string[];
}

export interface Flood {
  /** Ends it. @returns the number of answers by HTTP status */
  stop(): Promise<Readonly<Record<string, number>>>;
  kill(): Promise<void>;
}

const SCRIPT = join(import.meta.dirname, 'flood-process.ts');

/** Starts a process that floods a desk on this machine; resolves when all its connections are open. */
export const startFlood = async (kind: FloodKind, target: FloodTarget): Promise<Flood> => {
  const child = spawn(process.execPath, [SCRIPT, kind, JSON.stringify(target)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async stop() {
      child.stdin.write('end\n');
      const { value } = await lines.next();
      await exited;
      return JSON.parse(value ?? '') as Record<string, number>;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
