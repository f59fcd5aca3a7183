import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/** Repeats work. Only one poll runs at a time. */
export interface PollLoop {
  /** Polls immediately, and then periodically. */
  start(): void;
  /**
   * Polls once more, after polls in flight. Returns false if polling was stopped or if the poll failed. A failure is
   * logged.
   */
  pollNow(): Promise<boolean>;
  /** Waits for the poll in flight. Nothing runs afterwards, and the loop cannot be restarted. */
  stop(): Promise<void>;
}

export interface PollLoopOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Name of the loop, for log messages. */
  readonly name?: string;
  /** Chain of the loop, for log messages. */
  readonly chainId?: number;
  readonly everyMs: number;
  /** One poll. It checks the signal between its steps, so that stopping does not wait for a long poll. */
  readonly poll: (stop: AbortSignal) => Promise<void>;
}

/**
 * Maximum interval while polls fail, unless the regular interval is longer. It is short, because the desk signs again
 * as soon as its disk or node works, and until the next poll it does not know what a re-org has removed.
 */
const LONGEST_WAIT_MS = 15_000;

/**
 * Repeats a poll. While it fails, the interval doubles, up to 15 seconds. The log gets one line when failures start and
 * one when they end.
 */
export const createPollLoop = ({
  clock,
  log,
  name = 'settlement',
  chainId,
  everyMs,
  poll,
}: PollLoopOptions): PollLoop => {
  const stopping = new AbortController();
  const stop = stopping.signal;
  let failures = 0;
  let failingSince = 0;
  let newest = Promise.resolve(true);
  let cancelTimer = (): void => undefined;

  // A function, because TypeScript does not consider that the value changes during an await.
  const isStopping = (): boolean => stop.aborted;
  const attempt = async (): Promise<boolean> => {
    if (isStopping()) return false;
    try {
      await poll(stop);
    } catch (err) {
      // What it waited for may have been ended in order to stop.
      if (isStopping()) return false;
      if (failures === 0) {
        failingSince = clock.monotonic();
        log.warn(`${name}.interrupted`, { chainId, err });
      }
      failures += 1;
      return false;
    }
    if (failures > 0) log.info(`${name}.resumed`, { chainId, ms: Math.round(clock.monotonic() - failingSince) });
    failures = 0;
    return !stop.aborted;
  };

  const pollNow = (): Promise<boolean> => (newest = newest.then(attempt));

  const tick = async (): Promise<void> => {
    await pollNow();
    if (stop.aborted) return;
    cancelTimer = clock.setTimer(
      Math.min(Math.max(LONGEST_WAIT_MS, everyMs), everyMs * 2 ** failures),
      () => void tick(),
    );
  };

  return {
    start: () => void tick(),
    pollNow,
    async stop() {
      stopping.abort();
      cancelTimer();
      await newest;
    },
  };
};
