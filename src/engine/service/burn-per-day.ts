const DAY_MS = 86_400_000;

/**
 * Cost per day, wei. In the first day, the total so far counts as one day's: a burst of minutes says nothing about the
 * rest of the day.
 *
 * @param ms since the first payment
 */
export const burnPerDay = (paidWei: bigint, ms: number): bigint =>
  (paidWei * BigInt(DAY_MS)) / BigInt(Math.max(DAY_MS, ms));
