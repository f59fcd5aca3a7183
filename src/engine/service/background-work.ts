import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { BelievedFees } from '../chain/fees/believed-fees.ts';
import { SAMPLE_MS, createFeeSamples } from '../chain/fees/sample-fees.ts';
import { type PollLoop, type PollLoopOptions, createPollLoop } from '../chain/poll-loop.ts';
import type { Checkpoints } from '../log/checkpoints.ts';
import { recheckContracts } from '../paymaster/recheck.ts';
import { createClockWatch } from './clock-watch.ts';
import type { Store } from '../store/store.ts';
import type { OperatorTransactions } from '../transactions/operator-transactions.ts';

export interface BackgroundWorkOptions {
  readonly store: Store;
  readonly chains: ChainAccess;
  readonly transactions: OperatorTransactions;
  readonly fees: BelievedFees;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly log: Log;
  /** Of several engines, one is the leader. It alone does what must be done once. */
  readonly isLeader: () => boolean;
  /** Interval at which the operator's transactions are looked up, ms. */
  readonly transactionsMs: number;
  /** Writes the database's memory to disk. */
  readonly flush: () => Promise<void>;
}

/** Maximum delay until a change by a contract's owner is noticed. */
const RECHECK_MS = 60_000;
/** How often to check whether a checkpoint is due. */
const CHECKPOINT_MS = 1_000;
/** Maximum delay until a change of the machine's time is reported. */
const CLOCK_MS = 10_000;

/** The loops of an engine, not started yet. Checkpoints come first. */
export const createBackgroundWork = ({
  store,
  chains,
  transactions,
  fees,
  checkpoints,
  clock,
  log,
  isLeader,
  transactionsMs,
  flush,
}: BackgroundWorkOptions): readonly PollLoop[] => {
  const loop = (name: string, everyMs: number, poll: PollLoopOptions['poll']): PollLoop =>
    createPollLoop({ clock, log, name, everyMs, poll });
  /** After a change of leader, the new one begins with its next poll. */
  const asLeader = (poll: PollLoopOptions['poll']) => async (stop: AbortSignal) => {
    if (isLeader()) await poll(stop);
  };
  const sign = asLeader(() => checkpoints.poll());
  const flushAndSign = async (stop: AbortSignal): Promise<void> => {
    await flush();
    await sign(stop);
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
    loop('fees', SAMPLE_MS, asLeader(createFeeSamples({ store, chains, fees }))),
    loop('clock', CLOCK_MS, createClockWatch(clock, log)),
  ];
};
