import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { thresholdUnits } from '../../core/rules/spending-limit/index.ts';
import { type ThresholdCase, ThresholdCases, type UsefulAmounts } from '../../core/trial/threshold-cases.ts';
import { ThresholdTally } from '../../core/trial/threshold-tally.ts';
import { type ThresholdDraft, ThresholdSample, ThresholdTrial, UNLIMITED } from '../../core/trial/threshold-trial.ts';
import { openSampledDecisions } from '../store/open-past-decisions.ts';
import type { SampledDecisions } from '../store/past-decisions.ts';
import { turn } from '../store/rows.ts';
import { changedPolicy } from './changed-policy.ts';
import type {
  FromThresholds,
  ThresholdCounts,
  ThresholdProgress,
  ThresholdTask,
  ToThresholds,
} from './threshold-thread.ts';

/** The thread's side of `startThresholdThread`: reads past decisions once, and counts them under each threshold. */

const port = parentPort;
if (port === null) throw new Error('This is started as a thread');

/** Number of decisions in the sample. Reading and deciding them takes a fraction of a second. */
const SAMPLE = 1_000;
/** Number of steps in the series: three hours each for a week. */
const STEPS = 56;
/** Decisions between two progress reports: some reports a second, because each is followed by a count of all decisions. */
const REPORT_EVERY = 4_000;
const LOWEST_PRIORITY = 19;

const post = (news: FromThresholds): void => port.postMessage(news);

type Request = Extract<ToThresholds, { request: number }>;

interface SampledCase {
  readonly seq: number;
  readonly one: ThresholdCase;
}

const draftOf = ({ current, change, ruleId, query: { from } }: ThresholdTask): ThresholdDraft => ({
  draftAt: changedPolicy(current, change),
  ruleId,
  from,
});

const readSample = async (task: ThresholdTask, { sample }: SampledDecisions): Promise<SampledCase[]> => {
  const sampler = new ThresholdSample(draftOf(task));
  const cases: SampledCase[] = [];
  for await (const decision of sample) cases.push({ seq: decision.seq, one: sampler.caseOf(decision) });
  return cases;
};

class Thresholds {
  readonly #task: ThresholdTask;
  readonly #trial: ThresholdTrial;
  readonly #sample: readonly SampledCase[];
  readonly #expected: number;
  #lastRead = 0;
  #amounts: UsefulAmounts | undefined;
  isWhole = false;

  /** Starts a trial of which only the sample is read. @param expected number of decisions that will be read */
  constructor(task: ThresholdTask, sample: readonly SampledCase[], expected: number) {
    this.#task = task;
    this.#trial = new ThresholdTrial(draftOf(task));
    this.#sample = sample;
    this.#expected = expected;
    this.#seeAmounts(this.#unread());
  }

  get progress(): ThresholdProgress {
    const done = this.#trial.cases.length;
    return { done, of: this.isWhole ? done : Math.max(done, this.#expected), isWhole: this.isWhole };
  }

  #units(threshold: string): bigint {
    return thresholdUnits({ ...this.#task.limit, threshold });
  }

  /** Extends the useful amounts by those of more decisions. */
  #seeAmounts(cases: ThresholdCases): void {
    const [known, found] = [this.#amounts, cases.amounts(this.#units(UNLIMITED))];
    if (found === undefined) return;
    const { least, most } = known ?? found;
    this.#amounts = { least: found.least < least ? found.least : least, most: found.most > most ? found.most : most };
  }

  /** The part of the sample that is not read yet. */
  #unread(): ThresholdCases {
    const cases = new ThresholdCases();
    for (const { seq, one } of this.#sample) if (seq > this.#lastRead) cases.add(one);
    return cases;
  }

  async read(past: SampledDecisions, isEnding: () => boolean): Promise<void> {
    let reported = 0;
    let seenAmounts = 0;
    for (let batch = await past.next(); batch.length > 0 && !isEnding(); batch = await past.next()) {
      for (const decision of batch) {
        this.#trial.add(decision);
        this.#lastRead = decision.seq;
      }
      if (this.#trial.cases.length >= 2 * seenAmounts) {
        this.#seeAmounts(this.#trial.cases);
        seenAmounts = this.#trial.cases.length;
      }
      if (this.#trial.cases.length >= reported + REPORT_EVERY) {
        post(this.progress);
        reported = this.#trial.cases.length;
      }
      // Meanwhile, requests are answered.
      await turn();
    }
    // What the sample has found is in here, too.
    this.#amounts = undefined;
    this.#seeAmounts(this.#trial.cases);
    this.isWhole = true;
  }

  count(threshold: string): ThresholdCounts {
    const { from, to = (this.#sample.at(-1)?.one.at ?? from) + 1 } = this.#task.query;
    const tally = new ThresholdTally(from, to, STEPS);
    const units = this.#units(threshold);
    this.#trial.cases.count(units, tally);
    const unread = this.#unread();
    const { done, of } = this.progress;
    if (!this.isWhole && unread.length > 0) {
      unread.count(units, tally, Math.max(1, Math.round((of - done) / unread.length)));
    }
    return {
      ...this.progress,
      sampled: this.#sample.length,
      report: tally.report(),
      series: { from: tally.from, stepMs: tally.stepMs, steps: tally.steps },
      amounts: this.#amounts,
    };
  }
}

let isEnding = false;
let thresholds: Thresholds | undefined;
const early: Request[] = [];

const answer = (trial: Thresholds, { request, threshold }: Request): void =>
  post({ request, counts: trial.count(threshold) });

const run = async (task: ThresholdTask): Promise<void> => {
  const past = await openSampledDecisions(task.database, task.query, SAMPLE);
  try {
    const trial = new Thresholds(task, await readSample(task, past), past.decisions);
    thresholds = trial;
    post(trial.progress);
    for (const request of early) answer(trial, request);
    // Only on Linux does this affect the thread alone. The engine's requests have priority, except over the sample.
    if (process.platform === 'linux') setPriority(LOWEST_PRIORITY);
    await trial.read(past, () => isEnding);
    post(trial.progress);
  } finally {
    await past.close();
  }
};

port.on('message', (message: ToThresholds) => {
  if (message === 'end') {
    isEnding = true;
    port.close();
  } else if ('database' in message) void run(message);
  else if (thresholds === undefined) early.push(message);
  else answer(thresholds, message);
});
