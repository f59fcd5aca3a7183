/**
 * How bundlers judge a paymaster, by ERC-7562 (Reputation), with its recommended constants. Each bundler counts for
 * itself; its counts are unknown to others.
 */

/** An unstake delay below a day counts as no stake (MIN_UNSTAKE_DELAY), in seconds. */
export const LEAST_UNSTAKE_DELAY = 86_400;

/** A bundler expects one operation out of this many to be included (MIN_INCLUSION_RATE_DENOMINATOR). */
const INCLUSION_DENOMINATOR = 10;
/** How many included operations may be missing before an entity is throttled or banned (THROTTLING_SLACK, BAN_SLACK). */
const THROTTLING_SLACK = 10;
const BAN_SLACK = 50;
/** Both counts shrink by this part every hour. */
const HOURLY_PART = 24;
/** UREP-020: how many operations of an entity without stake a bundler keeps at a time; more if many were included. */
const UNSTAKED_COUNT = 10;
const INCLUSION_FACTOR = 10;
const MOST_FOR_INCLUSION = 10_000;

/** What a bundler counts for a paymaster. */
export interface OperationCounts {
  readonly seen: number;
  readonly included: number;
}

/**
 * `throttled`: a bundler takes few operations at a time, for few blocks. `banned`: it takes none. `atRisk`: more than
 * half of what may be missing before it throttles is missing.
 */
export type ReputationStatus = 'good' | 'atRisk' | 'throttled' | 'banned';

/** The counts of a bundler that has seen all of these hours. @param hours oldest first */
export const countsAfter = (hours: readonly OperationCounts[]): OperationCounts => {
  const decayed = (count: number): number => count - Math.floor(count / HOURLY_PART);
  return hours.reduce(
    (sum, hour) => ({ seen: decayed(sum.seen) + hour.seen, included: decayed(sum.included) + hour.included }),
    { seen: 0, included: 0 },
  );
};

/** How many more operations a bundler expects to be included. Negative if more than it expects were included. */
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
