/**
 * A rolling window keeps all parts that count, and this number of the newest. The number decides, not their age: a
 * clock that was ahead for a moment would otherwise remove everything for good. The breaker counts 61 parts.
 */
export const MAX_PARTS = 1_000;
