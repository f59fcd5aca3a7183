import { decimalToWei } from '../../shared/schema/decimal.ts';
import type { SpendingLimit } from '../../shared/schema/rule.ts';
import { type Rule, deny, pass } from './rule.ts';

/** A limit and where it stands: amounts are operations for COUNT, wei for NATIVE_ASSET. */
export interface LimitState {
  readonly name: string;
  readonly limit: SpendingLimit;
  /** Reserved and settled in the current window, of this sender for a limit per user. */
  readonly used: bigint;
  /** What the operation would add. */
  readonly amount: bigint;
  /** End of the current window, epoch ms. */
  readonly endsAt: number;
  readonly now: number;
}

/** A threshold in the unit of its type: operations, or wei. */
export const thresholdUnits = ({ thresholdType, threshold }: SpendingLimit): bigint =>
  thresholdType === 'COUNT' ? BigInt(threshold) : decimalToWei(threshold);

/** What an operation adds to a limit: one operation, or the most it can cost. */
export const limitAmount = ({ thresholdType }: SpendingLimit, maxCostWei: bigint): bigint =>
  thresholdType === 'COUNT' ? 1n : maxCostWei;

/** Reserved + settled + this operation must stay within the threshold (SPEC 5.4). */
export const spendingLimitRule: Rule<null, LimitState> = {
  type: 'spendingLimit',
  check(_config, { name, limit, used, amount, endsAt, now }) {
    const threshold = thresholdUnits(limit);
    const evidence = {
      name,
      scope: limit.type,
      unit: limit.thresholdType === 'COUNT' ? 'operations' : 'wei',
      threshold: String(threshold),
      used: String(used),
      amount: String(amount),
      windowEndsAt: endsAt,
      now,
    };
    if (used + amount <= threshold) return pass('LIMIT_HAS_ROOM', evidence);
    return deny(amount > threshold ? 'LIMIT_TOO_SMALL' : 'LIMIT_REACHED', evidence);
  },
};
