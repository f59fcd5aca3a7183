const DAY_MS = 86_400_000;

/**
 * Cost per day in wei. During the first day, the total so far counts as one day's cost, because a burst of some minutes
 * says nothing about the rest of the day.
 *
 * @param ms time since the first payment
 */
export const burnPerDay = (paidWei: bigint, ms: number): bigint =>
  (paidWei * BigInt(DAY_MS)) / BigInt(Math.max(DAY_MS, ms));
