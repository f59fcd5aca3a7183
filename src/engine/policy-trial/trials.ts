import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PolicyChange } from '../../api/policy-trials.ts';
import type { Policy } from '../../core/policy.ts';
import type { TrialStep } from '../../core/trial-series.ts';
import type { TrialReport, TriedFlip } from '../../core/try-policy.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DatabasePlace } from '../store/open-database.ts';
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

/** What the thread sends, after each lot of decisions. */
export type FromTrial = TrialState;

/** What is answered to that, unless it was the last. */
export type ToTrial = 'next' | 'end';

/** Changes of policies tried on past decisions, one at a time, each in a thread of its own. */
export interface Trials {
  /** Begins a trial, and ends the one before. @returns its id */
  start(task: Omit<TrialTask, 'database'>): string;
  /**
   * Tells what there is to tell of a trial, once more of it is done than the caller has seen.
   *
   * @throws EngineError `TRIAL_NOT_FOUND`, also when it ends meanwhile, `TRIAL_TOO_BIG`, or `INTERNAL`
   */
  news(id: string, seen: number): Promise<TrialState>;
  /** What was tried. @throws EngineError `TRIAL_NOT_FOUND` */
  task(id: string): Omit<TrialTask, 'database'>;
  /** Ends a trial, and forgets what came of it. */
  cancel(id: string): void;
  /** Ends what there is, and waits for that. */
  stop(): Promise<void>;
}

/** What the trials of a desk stand on. */
interface TrialsContext {
  readonly database: DatabasePlace;
  readonly entropy: Entropy;
  readonly clock: Clock;
  readonly log: Log;
}

/** The script of the thread: beside this one, be it the source or a bundle. */
const SCRIPT = join(import.meta.dirname, `trial-worker${extname(import.meta.filename)}`);
/** Whoever waits is told after so many decisions: some times a second. */
const TELL_AFTER = 2_000;
/** A trial that nobody asks about for so long ends: its page was closed. */
const FORSAKEN_MS = 60_000;
/** A trial keeps what the limits of the draft hold, user by user. */
const MOST_MEMORY_MB = 1_024;

const failure = (cause: unknown): EngineError =>
  (cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new EngineError('TRIAL_TOO_BIG')
    : new EngineError('INTERNAL', 'The trial failed', {}, { cause });

/** One trial, from its thread's start on. */
const startTrial = (task: TrialTask, { clock, log }: TrialsContext) => {
  let state: TrialState = { done: 0 };
  let fault: unknown;
  let isOver = false;
  let askedAt = clock.now();
  const wake: (() => void)[] = [];
  const tell = (): void => {
    for (const resolve of wake.splice(0)) resolve();
  };
  const worker = new Worker(SCRIPT, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  let isWanted = true;
  worker.on('message', (news: FromTrial) => {
    state = news;
    const goesOn = isWanted && clock.now() - askedAt <= FORSAKEN_MS;
    if (news.result === undefined) worker.postMessage((goesOn ? 'next' : 'end') satisfies ToTrial);
    tell();
  });
  worker.on('error', (error: unknown) => {
    fault = error;
    log.error('policyTrial', { err: error });
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve())).then(() => {
    isOver = true;
    tell();
  });
  return {
    task,
    ended,
    end(): void {
      isWanted = false;
    },
    async news(seen: number): Promise<TrialState> {
      askedAt = clock.now();
      while (!isOver && state.result === undefined && seen >= 0 && state.done < seen + TELL_AFTER) {
        await new Promise<void>((resolve) => void wake.push(resolve));
      }
      if (fault !== undefined) throw failure(fault);
      if (isOver && state.result === undefined) throw new EngineError('TRIAL_NOT_FOUND');
      return state;
    },
  };
};

/** The trials of a desk. */
export const createTrials = (context: TrialsContext): Trials => {
  const { database, entropy } = context;
  let current: { readonly id: string; readonly trial: ReturnType<typeof startTrial> } | undefined;
  const running = new Set<Promise<void>>();
  const endCurrent = (): void => {
    current?.trial.end();
    current = undefined;
  };
  const require = (id: string) => {
    if (current?.id !== id) throw new EngineError('TRIAL_NOT_FOUND');
    return current.trial;
  };
  return {
    start(task) {
      endCurrent();
      const place = { file: database.folder.database, url: database.url?.reveal() };
      const trial = startTrial({ ...task, database: place }, context);
      current = { id: entropy.uuid(), trial };
      running.add(trial.ended);
      void trial.ended.then(() => running.delete(trial.ended));
      return current.id;
    },
    async news(id, seen) {
      const state = await require(id).news(seen);
      require(id);
      return state;
    },
    task: (id) => require(id).task,
    cancel(id) {
      if (current?.id === id) endCurrent();
    },
    async stop() {
      endCurrent();
      await Promise.all(running);
    },
  };
};
