import type { ServerResponse } from 'node:http';

/** Answers that start in one round of the event loop: to write a large one takes as long as to decide. */
const STARTED_AT_ONCE = 4;

/** Answers that wait for their turn, and how each starts: large ones of all servers leave time for everything else. */
const waiting = new Map<ServerResponse, () => void>();
let started = 0;

const nextRound = (): void => {
  started = 0;
  for (const [response, start] of waiting) {
    if (started === STARTED_AT_ONCE) break;
    waiting.delete(response);
    started += 1;
    start();
  }
  if (started > 0) setImmediate(nextRound);
};

/** Waits until it is the turn of a large answer. */
export const turnOf = async (response: ServerResponse): Promise<void> => {
  if (started === 0) setImmediate(nextRound);
  if (started === STARTED_AT_ONCE) await new Promise<void>((resolve) => waiting.set(response, resolve));
  else started += 1;
};

/** True for an answer that waits for its turn. */
export const waitsForTurn = (response: ServerResponse): boolean => waiting.has(response);
