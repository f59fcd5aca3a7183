const DAY_MS = 86_400_000;

/**
 * What is paid a day, wei. Until a day has passed, what was paid so far counts as one day's: a burst of some minutes says
 * nothing about the rest of the day.
 *
 * @param ms since the first of it was paid
 */
export const burnPerDay = (paidWei: bigint, ms: number): bigint =>
  (paidWei * BigInt(DAY_MS)) / BigInt(Math.max(DAY_MS, ms));
