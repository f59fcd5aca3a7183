import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DecisionQueries } from '../store/decision-queries.ts';

/** A larger difference between the clocks of the desk and its machine is reported to the operator. */
export const TOLERATED_MS = 60_000;

/**
 * Says in the log, at the start, that the machine's time is before that of the newest decision: what is used up in the
 * time between, which comes again, stays used up.
 */
export const warnOfSetBack = async (
  store: Pick<DecisionQueries, 'listDecisions'>,
  clock: Clock,
  log: Log,
): Promise<void> => {
  const [newest] = await store.listDecisions({ limit: 1 });
  const ms = newest === undefined ? 0 : newest.at - clock.now();
  if (ms > TOLERATED_MS) log.warn('clock.set-back', { ms });
};

/** A look at both clocks, to be repeated: the log gets one line when they part, and one when they agree again. */
export const createClockWatch = (clock: Clock, log: Log): (() => Promise<void>) => {
  let apart = false;
  return async () => {
    const ms = Math.round(clock.machineAheadMs());
    const were = apart;
    apart = Math.abs(ms) > TOLERATED_MS;
    if (apart && !were) log.warn('clock.differs', { ms });
    if (were && !apart) log.info('clock.agrees');
  };
};
