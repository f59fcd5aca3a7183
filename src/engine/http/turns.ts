import type { ServerResponse } from 'node:http';

/**
 * Number of answers that are started per turn of the event loop. Writing a large answer takes as long as a decision.
 */
const STARTED_AT_ONCE = 4;

/** Answers that wait for their turn. Because of the queue, large answers of all servers leave time for other work. */
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

export const turnOf = async (response: ServerResponse): Promise<void> => {
  if (started === 0) setImmediate(nextRound);
  if (started === STARTED_AT_ONCE) await new Promise<void>((resolve) => waiting.set(response, resolve));
  else started += 1;
};

export const waitsForTurn = (response: ServerResponse): boolean => waiting.has(response);
