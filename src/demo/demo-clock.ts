import { type Clock, systemClock } from '../engine/base/clock.ts';

/** A clock that can be moved. */
export interface DemoClock extends Clock {
  /** Moves the time of day forward. */
  forward(ms: number): void;
}

/** A clock that begins with this machine's time; timers run by the machine's time, wherever it is moved to. */
export const createDemoClock = (): DemoClock => {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    forward: (ms) => (ahead += ms),
  };
};
