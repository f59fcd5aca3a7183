import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PolicyChange } from '../../api/policy-trials.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { SpendingLimit } from '../../core/rules/spending-limit/index.ts';
import type { UsefulAmounts } from '../../core/trial/threshold-cases.ts';
import type { TallyStep, ThresholdTally } from '../../core/trial/threshold-tally.ts';
import type { PastPlace } from '../store/open-past-decisions.ts';
import type { PastQuery } from '../store/past-decisions.ts';

export interface ThresholdTask {
  readonly database: PastPlace;
  readonly query: Omit<PastQuery, 'last'> & { readonly from: number };
  readonly current: Policy;
  /** The change that sets the limit, with any threshold. */
  readonly change: PolicyChange;
  /** The limit's id in the changed policy. */
  readonly ruleId: string;
  readonly limit: SpendingLimit;
}

export interface ThresholdProgress {
  /** Number of decisions read. The sample counts for the others. */
  readonly done: number;
  readonly of: number;
  readonly isWhole: boolean;
}

/** What decisions would be under one threshold: those that were read exactly, the others as the sample estimates them. */
export interface ThresholdCounts extends ThresholdProgress {
  /** Number of decisions in the sample. */
  readonly sampled: number;
  readonly report: ReturnType<ThresholdTally['report']>;
  readonly series: { readonly from: number; readonly stepMs: number; readonly steps: readonly TallyStep[] };
  /** In the unit of the limit. Undefined if the limit concerns none of the decisions. */
  readonly amounts: UsefulAmounts | undefined;
}

/** Messages to the thread: first the task, then requests, and finally that it ends. */
export type ToThresholds = ThresholdTask | { readonly request: number; readonly threshold: string } | 'end';

/** Messages from the thread. Until the first progress, the sample is not read, and requests wait. */
export type FromThresholds = ThresholdProgress | { readonly request: number; readonly counts: ThresholdCounts };

export interface ThresholdThread {
  /** @throws Error that ended the thread */
  count(threshold: string): Promise<ThresholdCounts>;
  /** Ends the thread, also while it reads. */
  end(): Promise<void>;
}

/** The thread's script, which is next to this file, as source or in the bundle. */
const SCRIPT = join(import.meta.dirname, `threshold-worker${extname(import.meta.filename)}`);
/** A trial of thresholds keeps what it needs of each decision, about a kilobyte. */
const MAX_MEMORY_MB = 1_024;

interface Waiting {
  readonly resolve: (counts: ThresholdCounts) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a thread with a task. @param report receives the progress */
export const startThresholdThread = (
  task: ThresholdTask,
  report: (progress: ThresholdProgress) => void,
): ThresholdThread => {
  const worker = new Worker(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB } });
  const send = (message: ToThresholds): void => worker.postMessage(message);
  const waiting = new Map<number, Waiting>();
  let error = new Error('The thread of the trial has ended');
  let hasExited = false;
  let requests = 0;
  worker.on('message', (news: FromThresholds) => {
    if ('request' in news) {
      waiting.get(news.request)?.resolve(news.counts);
      waiting.delete(news.request);
    } else report(news);
  });
  worker.on('error', (cause) => (error = cause as Error));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  void ended.then(() => {
    hasExited = true;
    for (const { reject } of waiting.values()) reject(error);
  });
  send(task);
  return {
    count: (threshold) =>
      new Promise((resolve, reject) => {
        requests += 1;
        waiting.set(requests, { resolve, reject });
        if (hasExited) reject(error);
        else send({ request: requests, threshold });
      }),
    end() {
      send('end');
      return ended;
    },
  };
};
