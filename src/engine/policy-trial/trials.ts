import { EngineError } from '../../shared/errors.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { openPastDecisions } from '../store/open-past-decisions.ts';
import type { PastDecisions, PastQuery } from '../store/past-decisions.ts';
import type { DatabasePlace } from '../store/open-database.ts';
import { trialFailure } from './trial-failure.ts';
import { type TrialState, type TrialTask, type TrialThread, startTrialThread } from './trial-thread.ts';

/** Trials of policy changes on past decisions. One runs at a time, in a separate thread. */
export interface Trials {
  /** Starts a trial, and cancels the previous one. @returns its id */
  start(task: Omit<TrialTask, 'database'>): string;
  /**
   * Resolves with the progress, once it has advanced beyond what the caller has seen.
   *
   * @throws EngineError `TRIAL_NOT_FOUND`, also if it is cancelled meanwhile, `TRIAL_TOO_BIG`, or `INTERNAL`
   */
  news(id: string, seen: number): Promise<TrialState>;
  /** @throws EngineError `TRIAL_NOT_FOUND` */
  task(id: string): Omit<TrialTask, 'database'>;
  cancel(id: string): void;
  /** Reads past decisions, with a database connection of their own. @throws Error of the database */
  pastDecisions(query: PastQuery): Promise<PastDecisions>;
  stop(): Promise<void>;
}

interface TrialsContext {
  readonly database: DatabasePlace;
  readonly entropy: Entropy;
  readonly clock: Clock;
  readonly log: Log;
}

/** Number of decisions between two progress reports, which gives several reports per second. */
const REPORT_EVERY = 2_000;
/** A trial ends if no one asks for its progress for this long, because its page was closed. */
const ABANDONED_MS = 60_000;
/** An idle thread ends after this time. Until then, the next trial can reuse it. */
const IDLE_MS = 60_000;

const startTrial = (thread: TrialThread, task: TrialTask, { clock, log }: TrialsContext) => {
  let state: TrialState = { done: 0 };
  let error: unknown;
  let isOver = false;
  let isWanted = true;
  let requestedAt = clock.now();
  const wake: (() => void)[] = [];
  const wakeAll = (): void => {
    for (const resolve of wake.splice(0)) resolve();
  };
  const run = async (): Promise<void> => {
    try {
      await thread.run(task, (news) => {
        state = news;
        wakeAll();
        return isWanted && clock.now() - requestedAt <= ABANDONED_MS;
      });
    } catch (cause) {
      error = cause;
      log.error('policyTrial', { err: cause });
    }
    isOver = true;
    wakeAll();
  };
  return {
    task,
    /** Resolves when the trial is over, and says whether the thread is still alive. */
    ended: run().then(() => error === undefined),
    end(): void {
      isWanted = false;
    },
    async news(seen: number): Promise<TrialState> {
      requestedAt = clock.now();
      while (!isOver && state.result === undefined && seen >= 0 && state.done < seen + REPORT_EVERY) {
        await new Promise<void>((resolve) => void wake.push(resolve));
      }
      if (error !== undefined) throw trialFailure(error);
      if (isOver && state.result === undefined) throw new EngineError('TRIAL_NOT_FOUND');
      return state;
    },
  };
};

interface IdleThread {
  readonly thread: TrialThread;
  readonly cancelTimer: () => void;
}

/** Keeps the most recently used thread for some time, so that the next trial can reuse it. */
const createThreads = (clock: Clock) => {
  let idle: IdleThread | undefined;
  /** Replaces the kept thread. @returns the previous one */
  const keep = (next?: IdleThread): TrialThread | undefined => {
    const before = idle;
    before?.cancelTimer();
    idle = next;
    return before?.thread;
  };
  return {
    take: (): TrialThread => keep() ?? startTrialThread(),
    giveBack: async (thread: TrialThread): Promise<void> =>
      keep({ thread, cancelTimer: clock.setTimer(IDLE_MS, () => void keep()?.end()) })?.end(),
    end: async (): Promise<void> => keep()?.end(),
  };
};

/** Creates the trials for one database. */
export const createTrials = (context: TrialsContext): Trials => {
  const { database, entropy } = context;
  const threads = createThreads(context.clock);
  let current: { readonly id: string; readonly trial: ReturnType<typeof startTrial> } | undefined;
  const running = new Set<Promise<void>>();
  const place = { file: database.folder.database, url: database.url?.reveal() };
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
      const thread = threads.take();
      const trial = startTrial(thread, { ...task, database: place }, context);
      current = { id: entropy.uuid(), trial };
      const ended = trial.ended
        .then((isThere) => (isThere ? threads.giveBack(thread) : thread.end()))
        .finally(() => running.delete(ended));
      running.add(ended);
      return current.id;
    },
    async news(id, seen) {
      const state = await require(id).news(seen);
      require(id);
      return state;
    },
    task: (id) => require(id).task,
    pastDecisions: (query) => openPastDecisions(place, query),
    cancel(id) {
      if (current?.id === id) endCurrent();
    },
    async stop() {
      endCurrent();
      await Promise.all(running);
      await threads.end();
    },
  };
};
