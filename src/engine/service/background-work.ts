import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { BelievedFees } from '../chain/fees/believed-fees.ts';
import { createScheduleSamples } from '../chain/gas-schedules/sample-schedules.ts';
import { SAMPLE_MS, createFeeSamples } from '../chain/fees/sample-fees.ts';
import { type PollLoop, type PollLoopOptions, createPollLoop } from '../chain/poll-loop.ts';
import type { Checkpoints } from '../log/checkpoints.ts';
import { recheckContracts } from '../paymaster/recheck.ts';
import { createClockWatch } from './clock-watch.ts';
import type { ContinuousBackup } from '../continuous-backup/continuous-backup.ts';
import { LATE_MS } from '../continuous-backup/words.ts';
import type { Notifications } from '../notifications/notifications.ts';
import { lateCopy } from '../notifications/words.ts';
import { turn } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { OperatorTransactions } from '../transactions/operator-transactions.ts';

export interface BackgroundWorkOptions {
  readonly store: Store;
  readonly chains: ChainAccess;
  readonly transactions: OperatorTransactions;
  readonly fees: BelievedFees;
  readonly checkpoints: Checkpoints;
  readonly continuousBackup: Pick<ContinuousBackup, 'state'>;
  readonly notifications: Pick<Notifications, 'raise' | 'end'>;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Whether this engine is the leader. Only one of several engines is, and it does the work that must be done only
   * once.
   */
  readonly isLeader: () => boolean;
  /** Interval of checking the state of the operator's transactions, in ms. */
  readonly transactionsMs: number;
  /** Flushes the database to disk. */
  readonly flush: () => Promise<void>;
}

/** Maximum delay until a change that a contract's owner made is detected. */
const RECHECK_MS = 60_000;
/** How often to check whether a checkpoint is due. */
const CHECKPOINT_MS = 1_000;
/** How often decisions are added to the search index, and the maximum number of steps each time. A step takes some ms. */
const SEARCH_MS = 1_000;
const SEARCH_STEPS = 20;
/** How often to check whether the continuous backup is behind. */
const COPY_MS = 5_000;
/** Maximum delay until a change to the machine's time is reported. */
const CLOCK_MS = 10_000;

/** The periodic work of an engine, not started yet. Checkpoints come first. */
export const createBackgroundWork = ({
  store,
  chains,
  transactions,
  fees,
  checkpoints,
  continuousBackup,
  notifications,
  clock,
  log,
  isLeader,
  transactionsMs,
  flush,
}: BackgroundWorkOptions): readonly PollLoop[] => {
  const loop = (name: string, everyMs: number, poll: PollLoopOptions['poll']): PollLoop =>
    createPollLoop({ clock, log, name, everyMs, poll });
  /** Polls only while this engine is the leader. A new leader starts with its next poll. */
  const asLeader = (poll: PollLoopOptions['poll']) => async (stop: AbortSignal) => {
    if (isLeader()) await poll(stop);
  };
  const sign = asLeader(() => checkpoints.poll());
  const flushAndSign = async (stop: AbortSignal): Promise<void> => {
    await flush();
    await sign(stop);
  };
  const fillSearchIndex = async (stop: AbortSignal): Promise<void> => {
    for (let step = 0; step < SEARCH_STEPS && !stop.aborted; step += 1) {
      if (!(await store.fillSearchIndex(isLeader()))) return;
      await turn();
    }
  };
  const checkCopy = async (): Promise<void> => {
    const condition = { kind: 'backup', subject: 'continuous' } as const;
    const state = continuousBackup.state();
    // The first copy of a large database takes longer.
    const isLate = state.behindMs > LATE_MS && (state.error !== null || state.copiedAt !== null);
    if (isLate) await notifications.raise(condition, lateCopy(state));
    else await notifications.end(condition);
  };
  return [
    loop('checkpoints', CHECKPOINT_MS, flushAndSign),
    loop(
      'transactions',
      transactionsMs,
      asLeader(() => transactions.refresh()),
    ),
    loop(
      'contracts',
      RECHECK_MS,
      asLeader(() => recheckContracts({ store, chains, log })),
    ),
    loop('gasSchedules', SAMPLE_MS, asLeader(createScheduleSamples({ store, chains, log }))),
    loop('fees', SAMPLE_MS, asLeader(createFeeSamples({ store, chains, fees }))),
    loop('continuousBackup', COPY_MS, checkCopy),
    loop('search', SEARCH_MS, fillSearchIndex),
    loop('clock', CLOCK_MS, createClockWatch(clock, log)),
  ];
};
