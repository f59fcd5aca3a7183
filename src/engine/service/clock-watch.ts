import type { Store } from '../store/store.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/** A larger difference between Gasdesk's clock and the machine's is reported to the operator. */
export const TOLERATED_MS = 60_000;

/**
 * At start, logs a warning if the machine's time is earlier than the latest decision. Budget used in the period that
 * repeats stays used.
 */
export const warnOfSetBack = async (store: Pick<Store, 'listDecisions'>, clock: Clock, log: Log): Promise<void> => {
  const [newest] = await store.listDecisions({ limit: 1 });
  const ms = newest === undefined ? 0 : newest.at - clock.now();
  if (ms > TOLERATED_MS) log.warn('clock.set-back', { ms });
};

/**
 * Returns a function, to be called repeatedly, that compares the two clocks. It logs one line when they diverge, and
 * one when they agree again.
 */
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
