import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PolicyChange } from '../../api/policy-trials.ts';
import type { Policy } from '../../core/policy.ts';
import type { TrialStep } from '../../core/trial-series.ts';
import type { TrialReport, TriedFlip } from '../../core/try-policy.ts';
import type { PastPlace } from '../store/open-past-decisions.ts';
import type { PastQuery } from '../store/past-decisions.ts';

/** What is tried: a change of a policy, on which past decisions. */
export interface TrialTask {
  readonly database: PastPlace;
  readonly query: PastQuery;
  /** The policy in force. */
  readonly current: Policy;
  readonly change: PolicyChange;
}

/** What came of a trial. */
interface TrialResult {
  readonly report: TrialReport;
  readonly flips: readonly TriedFlip[];
  /** When new and changed limits began, epoch ms. */
  readonly from: number;
  /** Operations sponsored over time. */
  readonly series: { readonly from: number; readonly stepMs: number; readonly steps: readonly TrialStep[] };
}

/** How far a trial is, and what came of it once it is over. */
export interface TrialState {
  /** Decisions tried so far. */
  readonly done: number;
  /** How many there are to try; undefined until they are counted. */
  readonly of?: number;
  readonly result?: TrialResult;
}

/** What the thread sends: how far it is after each lot of decisions, and at last the result, or that it was ended. */
export type FromTrial = TrialState | 'ended';

/** What it is sent: a task; whether to go on, after each lot; and, once nothing is tried, that it is to end itself. */
export type ToTrial = TrialTask | 'next' | 'end';

/** A thread that tries changes, one after the other. */
export interface TrialThread {
  /**
   * Tries a change.
   *
   * @param tell is told how far it is, and answers whether to go on
   * @returns when it is over or was ended; rejects with what ended the thread
   */
  run(task: TrialTask, tell: (state: TrialState) => boolean): Promise<void>;
  /** Ends it while it has nothing to do. */
  end(): Promise<void>;
}

/** The script of the thread: beside this one, be it the source or a bundle. */
const SCRIPT = join(import.meta.dirname, `trial-worker${extname(import.meta.filename)}`);
/** A trial keeps what the limits of the draft hold, user by user. */
const MOST_MEMORY_MB = 1_024;

interface Running {
  readonly tell: (state: TrialState) => boolean;
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
}

/** Starts a thread. */
export const startTrialThread = (): TrialThread => {
  const worker = new Worker(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB } });
  const send = (message: ToTrial): void => worker.postMessage(message);
  let running: Running | undefined;
  let isGone = false;
  let fault = new Error('The thread of the trial has ended');
  const finish = (): void => {
    running?.resolve();
    running = undefined;
  };
  worker.on('message', (news: FromTrial) => {
    const tell = running?.tell;
    const isLast = news === 'ended' || news.result !== undefined;
    if (isLast) finish();
    const goesOn = news !== 'ended' && tell?.(news) === true;
    if (!isLast) send(goesOn ? 'next' : 'end');
  });
  worker.on('error', (error) => (fault = error as Error));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  void ended.then(() => {
    isGone = true;
    running?.reject(fault);
  });
  return {
    run: (task, tell) =>
      new Promise((resolve, reject) => {
        running = { tell, resolve, reject };
        if (isGone) reject(fault);
        else send(task);
      }),
    end() {
      send('end');
      return ended;
    },
  };
};
