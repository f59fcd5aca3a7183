import { type Clock, type Machine, createClock } from '../../src/engine/base/clock.ts';

interface Timer {
  readonly due: number;
  readonly fn: () => void;
}

/** Most time that the desk may count: its clock runs up to a tenth faster while it follows its machine's. */
export const deskMs = (realMs: number): number => (realMs * 11) / 10;

/**
 * Time as it passes for everyone, and the clock of the desk's machine, which may be wrong. However much time passes at
 * once, each timer that falls due runs once: hours are as long as minutes.
 */
export interface AttackTime {
  /** The clock of a desk's process that is started now. */
  startClock(): Clock;
  /** What the desk takes for the time, epoch ms. */
  deskNow(): number;
  /** What time it is, epoch ms. */
  now(): number;
  /** Lets time pass; what falls due on the desk runs. */
  pass(ms: number): Promise<void>;
  /** Sets the machine's clock forward (or back), though no time passes. */
  step(ms: number): void;
  /** How far the machine's clock is ahead, ms. */
  ahead(): number;
  /** How many timers wait. */
  timers(): number;
}

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Time that begins at `start`, epoch ms, with a machine's clock that is right. */
export const startTime = (start: number): AttackTime => {
  let now = start;
  let ahead = 0;
  const timers = new Set<Timer>();
  const machine: Machine = {
    wall: () => now + ahead,
    monotonic: () => now - start,
    uptime: () => now - start,
    setTimer(ms, fn) {
      const timer = { due: now + Math.max(0, ms), fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  let clock = createClock(machine);
  return {
    startClock: () => (clock = createClock(machine)),
    deskNow: () => clock.now(),
    now: () => now,
    async pass(ms) {
      now += ms;
      const due = [...timers].filter((timer) => timer.due <= now).sort((a, b) => a.due - b.due);
      for (const timer of due) {
        if (timers.delete(timer)) timer.fn();
        await eventLoopTurn();
      }
      await eventLoopTurn();
    },
    step(ms) {
      ahead += ms;
    },
    ahead: () => ahead,
    timers: () => timers.size,
  };
};
