import { randomBytes, randomUUID } from 'node:crypto';
import { uptime } from 'node:os';

/** Time as the engine sees it. Injected, so that tests never wait for the real clock. */
export interface Clock {
  /** Time of day: milliseconds since the Unix epoch. While the process runs it never jumps nor runs backwards. */
  now(): number;
  /** How far the machine's time of day is ahead of {@link now}, ms; negative where it is behind. */
  machineAheadMs(): number;
  /** Never runs backwards; milliseconds with fractions, for measuring how long something took. */
  monotonic(): number;
  /**
   * Runs `fn` once, `ms` milliseconds from now.
   *
   * @returns cancels the timer; does nothing once it has run
   */
  setTimer(ms: number, fn: () => void): () => void;
}

/** Randomness as the engine sees it; every implementation but a test's must be cryptographically strong. */
export interface Entropy {
  /** `n` random bytes. */
  bytes(n: number): Uint8Array;
  /** A random UUID v4. */
  uuid(): string;
}

/** The longest delay `setTimeout` keeps (about 24.8 days); it runs at once what is further away. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** What a machine tells of time. Milliseconds. */
export interface Machine extends Pick<Clock, 'setTimer'> {
  /** Time of day, since the Unix epoch: the administrator of the machine or of its time server sets it at will. */
  readonly wall: () => number;
  /** Since some moment. Never runs backwards; on Linux it stands still while the machine sleeps (CLOCK_MONOTONIC). */
  readonly monotonic: () => number;
  /** Since the machine was started, its sleep included (CLOCK_BOOTTIME). */
  readonly uptime: () => number;
}

/** The clock approaches the machine's time of day by so much of the time that passes. */
const SLEW = 0.1;
/** What is nearer than this is left to slewing. */
const NOTICEABLE_MS = 2_000;
/** Whether the machine has slept is asked no more often than this: it takes a system call. */
const LOOK_EVERY_MS = 1_000;

/**
 * A clock that starts with the machine's time of day and goes on by itself. Limits, the breaker and validity windows
 * count by it, so a change of the machine's time must not move them: a jump ahead would free what is used up, one back
 * would make it count twice. It approaches the machine's time by running a tenth faster or slower. Time that the
 * machine has slept did pass, and is believed at once.
 */
export const createClock = ({ wall, monotonic, uptime: sinceBoot, setTimer }: Machine): Clock => {
  let time = wall();
  let measuredAt = monotonic();
  let asleep = sinceBoot() - measuredAt;
  let lookedAt = measuredAt;

  /** How long the machine has slept since this was last told. */
  const slept = (): number => {
    if (measuredAt - lookedAt < LOOK_EVERY_MS) return 0;
    lookedAt = measuredAt;
    const before = asleep;
    const total = sinceBoot() - measuredAt;
    if (total - before < NOTICEABLE_MS) return 0;
    asleep = total;
    return total - before;
  };

  const now = (): number => {
    const measured = monotonic();
    const passed = Math.max(0, measured - measuredAt);
    measuredAt = measured;
    time += passed;
    const ahead = wall() - time;
    if (ahead > NOTICEABLE_MS) time += Math.min(ahead, slept());
    time += Math.min(SLEW * passed, Math.max(-SLEW * passed, wall() - time));
    return Math.floor(time);
  };

  return { now, machineAheadMs: () => wall() - now(), monotonic, setTimer };
};

const systemMachine: Machine = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1_000,
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

/** The clock of this process, by this machine. */
export const systemClock: Clock = createClock(systemMachine);

/** The operating system's random source. */
export const systemEntropy: Entropy = {
  bytes: (n) => randomBytes(n),
  uuid: () => randomUUID(),
};
