import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { faults } from './faults.ts';

const PLANTED = join(import.meta.dirname, 'planted.ts');

interface Finding {
  /** Seeds that were played; the last one failed if something was found. */
  readonly seeds: number;
  /** What did not hold; null if everything held until the time was over. */
  readonly found: string | null;
  /** Time of a processor. */
  readonly seconds: number;
}

/** Plays with a planted fault until it is found, or for some seconds of a processor. */
export const find = (name: string, seconds: number): Promise<Finding> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PLANTED, name, String(seconds)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(text) as Finding);
      else reject(new Error(`The simulation with "${name}" ended with ${String(code)}`));
    });
  });

const row = (name: string, { seeds, seconds, found }: Finding): string =>
  `${name.padEnd(66)} ${String(seeds).padStart(5)} ${String(seconds).padStart(9)}  ${found ?? 'NOT FOUND'}`;

/**
 * Plants every fault by itself, and prints a table of how each was found.
 *
 * @param seconds time of a processor for each
 * @returns the names of those that were not found
 */
export const findFaults = async (seconds: number): Promise<readonly string[]> => {
  const missed: string[] = [];
  console.log(`${'fault'.padEnd(66)} seeds  CPU in s  violation`);
  const waiting = faults.map(({ name }) => name);
  const findNext = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const finding = await find(name, seconds);
      if (finding.found === null) missed.push(name);
      console.log(row(name, finding));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, findNext));
  console.log(`${faults.length - missed.length} of ${faults.length} faults were found.`);
  return missed;
};
