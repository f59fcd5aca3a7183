import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A flood that goes on. */
export interface Flood {
  /** Ends it. Answers how many answers came, by their HTTP status. */
  stop(): Promise<Readonly<Record<string, number>>>;
  /** Ends it the hard way, if it has not ended. */
  kill(): Promise<void>;
}

const SCRIPT = join(import.meta.dirname, 'flood-process.ts');

/**
 * Has a desk on this machine flooded by a process of its own; resolves when all that is held open is.
 *
 * @param apiKey of a DApp: strangers know it, too
 */
export const startFlood = async (url: string, chainId: number, apiKey: string): Promise<Flood> => {
  const child = spawn(process.execPath, [SCRIPT, url, String(chainId), apiKey], { stdio: ['pipe', 'pipe', 'inherit'] });
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
