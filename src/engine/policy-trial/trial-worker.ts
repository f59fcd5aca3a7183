import { once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { TrialSeries } from '../../core/trial/trial-series.ts';
import { PolicyTrial } from '../../core/trial/try-policy.ts';
import { openPastDecisions } from '../store/open-past-decisions.ts';
import type { PastDecisions } from '../store/past-decisions.ts';
import { changedPolicy } from './changed-policy.ts';
import type { FromTrial, ToTrial, TrialState, TrialTask } from './trial-thread.ts';

/** The thread's side of `startTrialThread`: runs one trial after another, each until it is complete or cancelled. */

const port = parentPort;
if (port === null) throw new Error('This is started as a thread');

/** Number of steps in the series, for any period. */
const STEPS = 28;
const LOWEST_PRIORITY = 19;

// Only on Linux does this affect the thread alone. The engine's requests have priority.
if (process.platform === 'linux') setPriority(LOWEST_PRIORITY);

const nextMessage = async (): Promise<ToTrial> => {
  const [message] = (await once(port, 'message')) as [ToTrial];
  return message;
};
const post = (news: FromTrial): void => port.postMessage(news);

/**
 * Reports progress, and waits for the engine's main thread to say whether to continue. That takes longer while the main
 * thread is busy.
 */
const mayContinue = async (state: TrialState): Promise<boolean> => {
  const answer = nextMessage();
  post(state);
  return (await answer) === 'next';
};

const tryOn = async (past: PastDecisions, { current, change, query, assumptions }: TrialTask): Promise<FromTrial> => {
  const { decisions: of, firstAt, lastAt } = past.extent;
  const trial = new PolicyTrial(changedPolicy(current, change), query.from, undefined, assumptions);
  const series = new TrialSeries(query.from ?? firstAt ?? 0, query.to ?? (lastAt ?? 0) + 1, STEPS);
  let done = 0;
  // The next batch runs while the main thread handles this report.
  let continues = mayContinue({ done, of });
  for (let batch = await past.next(); batch.length > 0; batch = await past.next()) {
    for (const decision of batch) {
      const tried = trial.add(decision);
      if (tried !== undefined) series.add(decision.at, tried);
    }
    done += batch.length;
    if (!(await continues)) return 'ended';
    continues = mayContinue({ done, of });
  }
  if (!(await continues)) return 'ended';
  const { from: seriesFrom, stepMs, steps } = series;
  const result = {
    report: trial.report(),
    flips: trial.flips,
    from: trial.from ?? 0,
    series: { from: seriesFrom, stepMs, steps },
  };
  return { done, of, result };
};

const runTask = async (task: TrialTask): Promise<FromTrial> => {
  const past = await openPastDecisions(task.database, task.query);
  try {
    return await tryOn(past, task);
  } finally {
    await past.close();
  }
};

for (let message = await nextMessage(); typeof message === 'object'; message = await nextMessage()) {
  post(await runTask(message));
}
port.close();
