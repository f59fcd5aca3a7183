import type { Clock } from '../base/clock.ts';

/** Token buckets by name. Each holds the tokens of one minute, and refills evenly. */
export interface TokenBuckets {
  /** Takes one token. @returns 0, or the milliseconds until a token is available */
  take(name: string): number;
  /** Number of buckets kept, which are those that are not full. */
  readonly size: number;
}

interface Bucket {
  tokens: number;
  /** Monotonic ms. */
  at: number;
  /** When it was moved to the end of the buckets, monotonic ms. */
  movedAt: number;
}

const MINUTE_MS = 60_000;
/** Only an attack creates more buckets than this within a minute. The least recently used ones are then dropped. */
const MAX_BUCKETS = 100_000;

/** Moving a bucket takes longer than the rest, so while there are few, one in constant use is moved once a second. */
const MOVE_MS = 1000;
const FEW_BUCKETS = 50_000;

/** Creates full buckets. @param limit requests per minute, read for each token; 0 means no limit */
export const createTokenBuckets = (limit: () => number, clock: Clock): TokenBuckets => {
  /** Ordered by last use, to within {@link MOVE_MS} if there are few. So the first ones are the next to be full again. */
  const buckets = new Map<string, Bucket>();
  let limitBefore = 0;
  /** When the first bucket can be full, monotonic ms. Until then, no bucket is looked at. */
  let fullAt = 0;

  const forgetFull = (now: number): void => {
    if (now < fullAt && buckets.size <= MAX_BUCKETS) return;
    for (const [name, { at }] of buckets) {
      fullAt = at + MINUTE_MS;
      if (now < fullAt && buckets.size <= MAX_BUCKETS) return;
      buckets.delete(name);
    }
  };

  return {
    get size() {
      return buckets.size;
    },
    take(name) {
      const perMinute = limit();
      // Counts from before the limit changed are meaningless under the new limit.
      if (perMinute !== limitBefore) buckets.clear();
      limitBefore = perMinute;
      if (perMinute === 0) return 0;
      const msPerToken = MINUTE_MS / perMinute;
      const now = clock.monotonic();
      const bucket = buckets.get(name) ?? { tokens: perMinute, at: now, movedAt: -Infinity };
      const filled = Math.min(perMinute, bucket.tokens + Math.max(0, now - bucket.at) / msPerToken);
      bucket.tokens = filled >= 1 ? filled - 1 : filled;
      bucket.at = now;
      if (buckets.size > FEW_BUCKETS || now - bucket.movedAt >= MOVE_MS) {
        bucket.movedAt = now;
        buckets.delete(name);
        buckets.set(name, bucket);
      }
      forgetFull(now);
      return filled >= 1 ? 0 : Math.ceil((1 - filled) * msPerToken);
    },
  };
};
