/**
 * Of a rolling window, all parts are kept that count, and the newest so many. By their number, not by their age: a clock
 * that was ahead for a moment would otherwise have everything forgotten for good. The breaker counts 61 of them.
 */
export const MOST_PARTS = 1_000;
