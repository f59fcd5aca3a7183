import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** How long something takes, in seconds. */
export const seconds = async (act: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await act();
  return Number(((performance.now() - start) / 1_000).toFixed(2));
};

/** The least time that something takes in some rounds, in seconds. */
export const least = async (act: () => Promise<unknown>, rounds: number): Promise<number> => {
  const times = [];
  for (let round = 0; round < rounds; round += 1) times.push(await seconds(act));
  return Math.min(...times);
};

/** The floor of whatever reads an export: parses its lines, and does nothing with them. */
export const parseLines = async (file: string): Promise<void> => {
  for await (const line of createInterface(createReadStream(file))) JSON.parse(line);
};
