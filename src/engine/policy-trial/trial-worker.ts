import { once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { TrialSeries } from '../../core/trial-series.ts';
import { PolicyTrial } from '../../core/try-policy.ts';
import { openPastDecisions } from '../store/open-past-decisions.ts';
import type { PastDecisions } from '../store/past-decisions.ts';
import { changedPolicy } from './changed-policy.ts';
import type { FromTrial, ToTrial, TrialTask } from './trials.ts';

/** The other side of `createTrials`: tries the change that `workerData` says, until it is done or told to end. */

const port = parentPort;
if (port === null) throw new Error('This is started as a thread');

/** Of the series, whatever time it is about. */
const STEPS = 28;
const LOWEST_PRIORITY = 19;

// On Linux, and nowhere else, this is about the thread alone: the desk's requests come first.
if (process.platform === 'linux') setPriority(LOWEST_PRIORITY);

/** Tells how far it is, and waits for the desk's own thread to say whether to go on: where that is busy, it takes its time. */
const mayGoOn = async (state: FromTrial): Promise<boolean> => {
  port.postMessage(state);
  const [answer] = (await once(port, 'message')) as [ToTrial];
  return answer === 'next';
};

const tryOn = async (past: PastDecisions, { current, change, query }: TrialTask): Promise<void> => {
  const { decisions: of, firstAt, lastAt } = past.extent;
  const trial = new PolicyTrial(changedPolicy(current, change), query.from);
  const series = new TrialSeries(query.from ?? firstAt ?? 0, query.to ?? (lastAt ?? 0) + 1, STEPS);
  let done = 0;
  if (!(await mayGoOn({ done, of }))) return;
  for (let lot = await past.next(); lot.length > 0; lot = await past.next()) {
    for (const { record, revision } of lot) {
      const tried = trial.add(record, revision);
      if (tried !== undefined) series.add(record.at, tried);
    }
    done += lot.length;
    if (!(await mayGoOn({ done, of }))) return;
  }
  const { from: seriesFrom, stepMs, steps } = series;
  const result = {
    ...{ report: trial.report(), flips: trial.flips, from: trial.from ?? 0 },
    series: { from: seriesFrom, stepMs, steps },
  };
  port.postMessage({ done, of, result } satisfies FromTrial);
};

const task = workerData as TrialTask;
const past = await openPastDecisions(task.database, task.query);
try {
  await tryOn(past, task);
} finally {
  await past.close();
  port.close();
}
