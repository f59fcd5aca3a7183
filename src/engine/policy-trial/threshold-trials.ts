import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DatabasePlace } from '../store/open-database.ts';
import {
  type ThresholdCounts,
  type ThresholdProgress,
  type ThresholdTask,
  type ThresholdThread,
  startThresholdThread,
} from './threshold-thread.ts';
import { trialFailure } from './trial-failure.ts';

/** Trials of the thresholds of a limit on past decisions. One runs at a time, in a separate thread. */
export interface ThresholdTrials {
  /** Starts a trial, and ends the previous one. @returns its id */
  start(task: Omit<ThresholdTask, 'database'>): string;
  /**
   * Counts what is read so far under a threshold.
   *
   * @param seen waits until more decisions than these are read, or until a newer request comes; -1: does not wait
   * @returns undefined if the trial is ended meanwhile
   * @throws EngineError `TRIAL_NOT_FOUND`, `TRIAL_TOO_BIG`, or `INTERNAL`
   */
  count(id: string, threshold: string, seen: number): Promise<ThresholdCounts | undefined>;
  /** @throws EngineError `TRIAL_NOT_FOUND` */
  task(id: string): Omit<ThresholdTask, 'database'>;
  end(id: string): void;
  stop(): Promise<void>;
}

interface ThresholdTrialsContext {
  readonly database: DatabasePlace;
  readonly entropy: Entropy;
  readonly clock: Clock;
  readonly log: Log;
}

/** A trial ends if there is no request for this long, because its page was closed. */
const ABANDONED_MS = 60_000;

interface RunningTrial {
  readonly id: string;
  readonly task: Omit<ThresholdTask, 'database'>;
  readonly thread: ThresholdThread;
  progress: ThresholdProgress;
  /** Number of requests so far. */
  requests: number;
  readonly wake: (() => void)[];
  cancelTimer: () => void;
}

const wakeAll = ({ wake }: RunningTrial): void => {
  for (const resolve of wake.splice(0)) resolve();
};

/** Creates the trials for one database. */
export const createThresholdTrials = ({ database, entropy, clock, log }: ThresholdTrialsContext): ThresholdTrials => {
  const place = { file: database.folder.database, url: database.url?.reveal() };
  const ending = new Set<Promise<void>>();
  let current: RunningTrial | undefined;

  const endCurrent = (): void => {
    if (current === undefined) return;
    const { thread, cancelTimer } = current;
    cancelTimer();
    wakeAll(current);
    current = undefined;
    const ended = thread.end().finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const require = (id: string): RunningTrial => {
    if (current?.id !== id) throw new EngineError('TRIAL_NOT_FOUND');
    return current;
  };
  const keep = (trial: RunningTrial): void => {
    trial.cancelTimer();
    trial.cancelTimer = clock.setTimer(ABANDONED_MS, () => {
      if (trial === current) endCurrent();
    });
  };
  /** Waits until more is read than a caller has seen, a newer request comes, or the trial ends. */
  const advanced = async (trial: RunningTrial, seen: number): Promise<void> => {
    const { requests } = trial;
    const isNews = (): boolean => trial.progress.isWhole || trial.progress.done > seen;
    while (seen >= 0 && !isNews() && trial.requests === requests && trial === current) {
      await new Promise<void>((resolve) => void trial.wake.push(resolve));
    }
  };

  return {
    start(task) {
      endCurrent();
      const thread = startThresholdThread({ ...task, database: place }, (progress) => {
        trial.progress = progress;
        wakeAll(trial);
      });
      const trial: RunningTrial = {
        id: entropy.uuid(),
        task,
        thread,
        progress: { done: 0, of: 0, isWhole: false },
        requests: 0,
        wake: [],
        cancelTimer: () => undefined,
      };
      current = trial;
      keep(trial);
      return trial.id;
    },
    async count(id, threshold, seen) {
      const trial = require(id);
      keep(trial);
      trial.requests += 1;
      wakeAll(trial);
      await advanced(trial, seen);
      const isOver = (): boolean => trial !== current;
      if (isOver()) return undefined;
      try {
        return await trial.thread.count(threshold);
      } catch (cause) {
        if (isOver()) return undefined;
        endCurrent();
        log.error('policyTrial', { err: cause });
        throw trialFailure(cause);
      }
    },
    task: (id) => require(id).task,
    end(id) {
      if (current?.id === id) endCurrent();
    },
    async stop() {
      endCurrent();
      await Promise.all(ending);
    },
  };
};
