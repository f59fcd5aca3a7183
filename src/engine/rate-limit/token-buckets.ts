import type { Clock } from '../base/clock.ts';

/** Token buckets by name. Each holds a minute's worth of tokens and fills evenly. */
export interface TokenBuckets {
  /** Takes one token. Answers 0, or how many milliseconds it takes until there is one. */
  take(name: string): number;
  /** How many buckets are kept: those that are not full. */
  readonly size: number;
}

interface Bucket {
  tokens: number;
  /** Monotonic ms. */
  at: number;
}

const MINUTE_MS = 60_000;
/** More than come within a minute, unless by an attack; then those not used for longest are forgotten. */
const MOST_BUCKETS = 100_000;

/** Buckets for as many requests per minute as `limit` says whenever one is taken; 0 means no limit. */
export const createTokenBuckets = (limit: () => number, clock: Clock): TokenBuckets => {
  /** In the order of their last use: those at the front are the first to be full again. */
  const buckets = new Map<string, Bucket>();
  let limitBefore = 0;

  const forgetFull = (now: number): void => {
    for (const [name, { at }] of buckets) {
      if (now - at < MINUTE_MS && buckets.size <= MOST_BUCKETS) return;
      buckets.delete(name);
    }
  };

  return {
    get size() {
      return buckets.size;
    },
    take(name) {
      const perMinute = limit();
      // What was counted under another limit says nothing under this one.
      if (perMinute !== limitBefore) buckets.clear();
      limitBefore = perMinute;
      if (perMinute === 0) return 0;
      const msPerToken = MINUTE_MS / perMinute;
      const now = clock.monotonic();
      const { tokens, at } = buckets.get(name) ?? { tokens: perMinute, at: now };
      const filled = Math.min(perMinute, tokens + Math.max(0, now - at) / msPerToken);
      const left = filled >= 1 ? filled - 1 : filled;
      buckets.delete(name);
      buckets.set(name, { tokens: left, at: now });
      forgetFull(now);
      return filled >= 1 ? 0 : Math.ceil((1 - filled) * msPerToken);
    },
  };
};
