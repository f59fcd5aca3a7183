import { shownAmount } from '../../../../shared/words/amount.ts';
import type { LimitUsage } from '../../desk/types.ts';

/** A number of users, in words. */
export const people = (count: number): string => `${count} ${count === 1 ? 'user' : 'users'}`;

/** An amount of what a limit counts, with its unit. */
export const usageAmount = (amount: string, unit: LimitUsage['unit'], coin: string): string => {
  if (unit === 'wei') return `${shownAmount(BigInt(amount))} ${coin}`;
  return amount === '1' ? '1 operation' : `${amount} operations`;
};

/** How much of a limit is used, as a sentence. */
export const usageSentence = ({ used, threshold, unit, perUser }: LimitUsage, coin: string): string => {
  const allowed = usageAmount(threshold, unit, coin);
  const share = `${unit === 'wei' ? usageAmount(used, unit, coin) : used} of ${allowed}`;
  if (perUser === null) return `${share} used.`;
  if (perUser.users === 0) return `Nobody has used it in this window.`;
  const atLimit = perUser.atLimit === 0 ? 'nobody is' : `${perUser.atLimit} ${perUser.atLimit === 1 ? 'is' : 'are'}`;
  return `${people(perUser.users)} in this window; the busiest has used ${share}, ${atLimit} at the limit.`;
};
