import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { TrialSeries } from '../../core/trial-series.ts';
import { PolicyTrial } from '../../core/try-policy.ts';
import { type PastDecisions, openPastDecisions } from '../store/sqlite/past-decisions.ts';
import { changedPolicy } from './changed-policy.ts';
import type { FromTrial, TrialTask } from './trials.ts';

/** The other side of `createTrials`: tries the change that `workerData` says, until it is done or told to end. */

const port = parentPort;
if (port === null) throw new Error('This is started as a thread');

/** After so many decisions it tells how far it is: some times a second. */
const TELL_AFTER = 2_000;
/** Of the series, whatever time it is about. */
const STEPS = 28;
/** As `nice` counts. A lower one would stand still on a machine that is busy with something else. */
const PRIORITY = 10;

let isEnded = false;
port.once('message', () => {
  isEnded = true;
});
// On Linux, and nowhere else, this is about the thread alone: the desk's requests come first.
if (process.platform === 'linux') setPriority(PRIORITY);

const tell = (message: FromTrial): void => port.postMessage(message);

const tryOn = async (past: PastDecisions, { current, change, query }: TrialTask): Promise<void> => {
  const { decisions: of, firstAt, lastAt } = past.extent;
  const trial = new PolicyTrial(changedPolicy(current, change), query.from);
  const series = new TrialSeries(query.from ?? firstAt ?? 0, query.to ?? (lastAt ?? 0) + 1, STEPS);
  let [done, told] = [0, 0];
  tell({ done, of });
  for (let lot = past.next(); lot.length > 0; lot = past.next()) {
    for (const { record, revision } of lot) {
      const tried = trial.add(record, revision);
      if (tried !== undefined) series.add(record.at, tried);
    }
    done += lot.length;
    // Whoever cancels is heard in between.
    await new Promise((resolve) => setImmediate(resolve));
    if (isEnded) return;
    if (done - told < TELL_AFTER) continue;
    tell({ done, of });
    told = done;
  }
  const { from: seriesFrom, stepMs, steps } = series;
  tell({
    ...{ done, of },
    result: {
      report: trial.report(),
      flips: trial.flips,
      from: trial.from ?? 0,
      series: { from: seriesFrom, stepMs, steps },
    },
  });
};

const task = workerData as TrialTask;
const past = openPastDecisions(task.database, task.query);
try {
  await tryOn(past, task);
} finally {
  past.close();
  port.close();
}
