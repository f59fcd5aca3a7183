import { pricedAmount, shownDollars } from '../../../../shared/words/amount.ts';
import type { LimitUsage } from '../../desk/types.ts';

export const people = (count: number): string => `${count} ${count === 1 ? 'user' : 'users'}`;

/**
 * An amount in the unit that a limit counts.
 *
 * @param usd US dollars per coin; empty if unknown
 */
export const usageAmount = (amount: string, unit: LimitUsage['unit'], coin: string, usd = ''): string => {
  if (unit === 'wei') return pricedAmount(BigInt(amount), coin, usd);
  if (unit === 'usd') return shownDollars(BigInt(amount));
  return amount === '1' ? '1 operation' : `${amount} operations`;
};

/** The usage of a limit as a sentence. @param usd US dollars per coin; empty if unknown */
export const usageSentence = (
  { used, threshold, unit, perUser, windowEndsAt }: LimitUsage,
  coin: string,
  usd = '',
): string => {
  const allowed = usageAmount(threshold, unit, coin, usd);
  const share = `${unit === 'operations' ? used : usageAmount(used, unit, coin, usd)} of ${allowed}`;
  if (perUser === null) return `${share} used.`;
  const within = windowEndsAt === null ? 'so far' : 'in this window';
  if (perUser.users === 0) return windowEndsAt === null ? 'Not used yet.' : `Not used ${within}.`;
  const atLimit = perUser.atLimit === 0 ? 'none is' : `${perUser.atLimit} ${perUser.atLimit === 1 ? 'is' : 'are'}`;
  return `${people(perUser.users)} ${within}; the busiest has used ${share}, ${atLimit} at the limit.`;
};
