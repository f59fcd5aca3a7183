import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PolicyChange } from '../../api/policy-trials.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Assumptions } from '../../core/trial/assumptions.ts';
import type { TrialStep } from '../../core/trial/trial-series.ts';
import type { TrialReport, TriedFlip } from '../../core/trial/try-policy.ts';
import type { PastPlace } from '../store/open-past-decisions.ts';
import type { PastQuery } from '../store/past-decisions.ts';

export interface TrialTask {
  readonly database: PastPlace;
  readonly query: PastQuery;
  readonly current: Policy;
  readonly change: PolicyChange;
  /** Absent: nothing is assumed. */
  readonly assumptions?: Assumptions | undefined;
}

interface TrialResult {
  readonly report: TrialReport;
  readonly flips: readonly TriedFlip[];
  /** When new and changed limits start, epoch ms. */
  readonly from: number;
  /** Numbers of operations sponsored over time. */
  readonly series: { readonly from: number; readonly stepMs: number; readonly steps: readonly TrialStep[] };
}

export interface TrialState {
  readonly done: number;
  /** Number of decisions to try; undefined until they are counted. */
  readonly of?: number;
  readonly result?: TrialResult;
}

/**
 * Messages from the thread: progress after each batch, and finally the result or the notice that the trial was
 * cancelled.
 */
export type FromTrial = TrialState | 'ended';

/**
 * Messages to the thread: a task; after each batch, whether to continue; and while the thread is idle, the request to
 * exit.
 */
export type ToTrial = TrialTask | 'next' | 'end';

export interface TrialThread {
  /**
   * Runs a trial.
   *
   * @param report receives the progress, and returns whether to continue
   * @returns resolves when the trial is complete or cancelled; rejects with the error that ended the thread
   */
  run(task: TrialTask, report: (state: TrialState) => boolean): Promise<void>;
  /** Ends the thread. Must be called only while the thread is idle. */
  end(): Promise<void>;
}

/** The thread's script, which is next to this file, as source or in the bundle. */
const SCRIPT = join(import.meta.dirname, `trial-worker${extname(import.meta.filename)}`);
/** A trial keeps the state of the draft's limits in memory, for each user. */
const MAX_MEMORY_MB = 1_024;

interface RunningTask {
  readonly report: (state: TrialState) => boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export const startTrialThread = (): TrialThread => {
  const worker = new Worker(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB } });
  const send = (message: ToTrial): void => worker.postMessage(message);
  let running: RunningTask | undefined;
  let hasExited = false;
  let error = new Error('The thread of the trial has ended');
  const finish = (): void => {
    running?.resolve();
    running = undefined;
  };
  worker.on('message', (news: FromTrial) => {
    const report = running?.report;
    const isLast = news === 'ended' || news.result !== undefined;
    if (isLast) finish();
    const continues = news !== 'ended' && report?.(news) === true;
    if (!isLast) send(continues ? 'next' : 'end');
  });
  worker.on('error', (cause) => (error = cause as Error));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  void ended.then(() => {
    hasExited = true;
    running?.reject(error);
  });
  return {
    run: (task, report) =>
      new Promise((resolve, reject) => {
        running = { report, resolve, reject };
        if (hasExited) reject(error);
        else send(task);
      }),
    end() {
      send('end');
      return ended;
    },
  };
};
