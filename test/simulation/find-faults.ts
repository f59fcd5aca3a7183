import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { faults } from './faults.ts';

const PLANTED = join(import.meta.dirname, 'planted.ts');

interface Finding {
  readonly seed: number;
  readonly found: string;
  readonly seconds: number;
}

/** Plays with a planted fault until it is found. Null if it is not found in time. */
export const find = (name: string, seconds: number): Promise<Finding | null> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PLANTED, name, String(seconds)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(text) as Finding | null);
      else reject(new Error(`The simulation with "${name}" ended with ${String(code)}`));
    });
  });

/**
 * Plants every fault in turn, and prints how it was found.
 *
 * @param seconds time of a processor for each
 * @returns the names of those that were not found
 */
export const findFaults = async (seconds: number): Promise<readonly string[]> => {
  const missed: string[] = [];
  for (const { name } of faults) {
    const finding = await find(name, seconds);
    if (finding === null) missed.push(name);
    const words = finding === null ? 'NOT FOUND' : `${finding.seconds} s, seed ${finding.seed}: ${finding.found}`;
    console.log(`${name}: ${words}`);
  }
  return missed;
};
