import { type Clock, systemClock } from '../engine/base/clock.ts';

export interface DemoClock extends Clock {
  /** Moves the clock's time of day forward. */
  forward(ms: number): void;
}

/** A clock that starts at the machine's time. Moving it does not affect timers. */
export const createDemoClock = (): DemoClock => {
  let ahead = 0;
  return { ...systemClock, now: () => systemClock.now() + ahead, forward: (ms) => (ahead += ms) };
};
