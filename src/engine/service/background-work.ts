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

/** What is done beside serving. */
export interface BackgroundWorkOptions {
  readonly store: Store;
  readonly chains: ChainAccess;
  readonly transactions: OperatorTransactions;
  readonly fees: BelievedFees;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly log: Log;
  /** Of several engines one at a time leads: it alone does what is to be done once. */
  readonly isLeader: () => boolean;
  /** How often the operator's transactions are looked up, ms. */
  readonly transactionsMs: number;
  /** Writes down what the database has in memory. */
  readonly flush: () => Promise<void>;
}

/** What the owner of a contract changes elsewhere is noticed within this time. */
const RECHECK_MS = 60_000;
/** Whether a checkpoint is due is asked this often. */
const CHECKPOINT_MS = 1_000;
/** What somebody does to the machine's time is told within this time. */
const CLOCK_MS = 10_000;

/** The loops of an engine, none of them started. Checkpoints come first. */
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
  /** Another engine begins with its next poll. */
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
