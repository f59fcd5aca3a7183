import { randomBytes, randomUUID } from 'node:crypto';

/** Time as the engine sees it. Injected, so that tests never wait for the real clock. */
export interface Clock {
  /** Wall clock: milliseconds since the Unix epoch. */
  now(): number;
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

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
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

/** The operating system's random source. */
export const systemEntropy: Entropy = {
  bytes: (n) => randomBytes(n),
  uuid: () => randomUUID(),
};
