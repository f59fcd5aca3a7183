/**
 * A rolling window keeps all buckets that count, and at least this many of the newest. Old buckets are dropped by
 * number and not by age: otherwise a clock that is ahead for a moment would permanently remove all of them. The breaker
 * counts 61 buckets.
 */
export const MAX_PARTS = 1_000;
