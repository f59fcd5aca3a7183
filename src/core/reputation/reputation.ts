/**
 * How bundlers judge a paymaster, by ERC-7562 (Reputation), with its recommended constants. Each bundler counts for
 * itself; its counts are unknown to others.
 */

/** An unstake delay below a day counts as no stake (MIN_UNSTAKE_DELAY), in seconds. */
export const LEAST_UNSTAKE_DELAY = 86_400;

/** Operations that a bundler expects to be included: one of so many that it has seen (MIN_INCLUSION_RATE_DENOMINATOR). */
const INCLUSION_DENOMINATOR = 10;
/** What may be missing before an entity is throttled, and before it is banned (THROTTLING_SLACK, BAN_SLACK). */
const THROTTLING_SLACK = 10;
const BAN_SLACK = 50;
/** Both counts shrink by this part every hour. */
const HOURLY_PART = 24;
/** UREP-020: operations at a time of an entity without stake: so many, and more by its inclusion. */
const UNSTAKED_COUNT = 10;
const INCLUSION_FACTOR = 10;
const MOST_FOR_INCLUSION = 10_000;

/** What a bundler counts for a paymaster. */
export interface OperationCounts {
  readonly seen: number;
  readonly included: number;
}

/**
 * `throttled`: a bundler takes few operations at a time, for few blocks. `banned`: none. `atRisk`: half of what may be
 * missing before it throttles is missing.
 */
export type ReputationStatus = 'good' | 'atRisk' | 'throttled' | 'banned';

/** Counts after the hours in the order of time, oldest first, as a bundler that saw all of them has them. */
export const countsAfter = (hours: readonly OperationCounts[]): OperationCounts => {
  const decayed = (count: number): number => count - Math.floor(count / HOURLY_PART);
  return hours.reduce(
    (sum, hour) => ({ seen: decayed(sum.seen) + hour.seen, included: decayed(sum.included) + hour.included }),
    { seen: 0, included: 0 },
  );
};

/** How many more operations would have to be included, for a bundler to expect none. Negative if there are enough. */
const missing = ({ seen, included }: OperationCounts): number => Math.floor(seen / INCLUSION_DENOMINATOR) - included;

export const reputationStatus = (counts: OperationCounts): ReputationStatus => {
  const lacking = missing(counts);
  if (lacking > BAN_SLACK) return 'banned';
  if (lacking > THROTTLING_SLACK) return 'throttled';
  return lacking > THROTTLING_SLACK / 2 ? 'atRisk' : 'good';
};

/** How many more operations a bundler may see, with none of them included, before it throttles. */
export const seenBeforeThrottling = (counts: OperationCounts): number =>
  Math.max(0, (counts.included + THROTTLING_SLACK + 1) * INCLUSION_DENOMINATOR - counts.seen);

/** UREP-020: how many operations of a paymaster without stake a bundler keeps at a time. */
export const unstakedAllowance = ({ seen, included }: OperationCounts): number => {
  const inclusionRate = seen === 0 ? 0 : Math.min(1, included / seen);
  return UNSTAKED_COUNT + Math.floor(inclusionRate * INCLUSION_FACTOR) + Math.min(included, MOST_FOR_INCLUSION);
};
