import { randomBytes, randomUUID } from 'node:crypto';
import os from 'node:os';

/** The source of time. It is injected, so that tests never wait for real time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. Never jumps or runs backwards while the process runs. */
  now(): number;
  /** How far the machine's time of day is ahead of {@link now}, ms. Negative if it is behind. */
  machineAheadMs(): number;
  /** Fractional milliseconds for measuring durations. Never runs backwards. On Linux, it stops while the machine sleeps. */
  monotonic(): number;
  /** Milliseconds since boot, including sleep. Some systems count whole seconds. */
  uptime(): number;
  /**
   * Runs `fn` once, after `ms` milliseconds.
   *
   * @returns a function that cancels the timer, or does nothing if it has run
   */
  setTimer(ms: number, fn: () => void): () => void;
}

/** Cryptographically strong randomness, except in tests. */
export interface Entropy {
  bytes(n: number): Uint8Array;
  uuid(): string;
}

/** The longest delay that `setTimeout` supports (about 24.8 days). For a longer delay it fires immediately. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The machine's clocks, in milliseconds. */
export interface Machine extends Pick<Clock, 'monotonic' | 'uptime' | 'setTimer'> {
  /** Time since the Unix epoch. The administrator of the machine or of its time server can set it at will. */
  readonly wall: () => number;
}

/** The fraction of the elapsed time by which the clock moves towards the machine's time of day. */
const SLEW = 0.1;
/** Smaller differences between the clocks do not count as sleep. */
const NOTICEABLE_MS = 2_000;
/**
 * Minimum change of the machine's time of day between checks for sleep, because each check takes a system call. Sleep
 * changes it too, so it is noticed at once, even right after the last check.
 */
const POLL_MS = 1_000;

/**
 * A clock that starts at the machine's time of day and then runs independently. Limits, the breaker and validity
 * windows depend on it, so a change to the machine's time must not move them: a jump forward would release used budget,
 * and a jump back would count it twice. The clock approaches the machine's time by running a tenth faster or slower.
 * Time spent asleep is real, so it is added immediately.
 */
export const createClock = ({ wall, monotonic, uptime, setTimer }: Machine): Clock => {
  let time = wall();
  let measuredAt = monotonic();
  let asleep = uptime() - measuredAt;
  let checkedAt = time;

  /** Time spent asleep since the last check, in ms. */
  const slept = (timeOfDay: number): number => {
    if (Math.abs(timeOfDay - checkedAt) < POLL_MS) return 0;
    checkedAt = timeOfDay;
    const before = asleep;
    const total = uptime() - measuredAt;
    if (total - before < NOTICEABLE_MS) return 0;
    asleep = total;
    return total - before;
  };

  const now = (): number => {
    const measured = monotonic();
    const passed = Math.max(0, measured - measuredAt);
    measuredAt = measured;
    time += passed;
    const timeOfDay = wall();
    const ahead = timeOfDay - time;
    if (ahead > NOTICEABLE_MS) time += Math.min(ahead, slept(timeOfDay));
    time += Math.min(SLEW * passed, Math.max(-SLEW * passed, timeOfDay - time));
    return Math.floor(time);
  };

  return { now, machineAheadMs: () => wall() - now(), monotonic, uptime, setTimer };
};

const systemMachine: Machine = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => os.uptime() * 1_000,
  setTimer: (ms, fn) => {
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      const step = Math.min(left, LONGEST_TIMEOUT_MS);
      handle = setTimeout(() => (left > step ? arm(left - step) : fn()), step);
    };
    arm(ms);
    return () => clearTimeout(handle);
  },
};

export const systemClock: Clock = createClock(systemMachine);

export const systemEntropy: Entropy = { bytes: (n) => randomBytes(n), uuid: () => randomUUID() };
