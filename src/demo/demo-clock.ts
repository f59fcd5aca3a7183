import { type Clock, systemClock } from '../engine/base/clock.ts';

export interface DemoClock extends Clock {
  /** Moves the time of day forward. */
  forward(ms: number): void;
}

/** Starts at this machine's time. Timers follow the machine's time, wherever the clock is moved. */
export const createDemoClock = (): DemoClock => {
  let ahead = 0;
  return { ...systemClock, now: () => systemClock.now() + ahead, forward: (ms) => (ahead += ms) };
};
