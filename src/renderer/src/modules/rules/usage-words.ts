import { pricedAmount, shownDollars } from '../../../../shared/words/amount.ts';
import type { LastUse, LimitUsage } from '../../desk/types.ts';

export const userCount = (count: number): string => `${count} ${count === 1 ? 'user' : 'users'}`;
const personCount = (count: number): string => `${count} ${count === 1 ? 'person' : 'people'}`;

/** True for the keyed hash of a person, false for the address of an account. */
export const isPerson = (user: string): boolean => !user.startsWith('0x');

/** Limits count either accounts or people. */
export const countsPeople = ({ perUser }: LimitUsage): boolean =>
  perUser?.nearest.some(({ user }) => isPerson(user)) ?? false;

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
export const usageSentence = (usage: LimitUsage, coin: string, usd = ''): string => {
  const { used, threshold, unit, perUser, windowEndsAt } = usage;
  const allowed = usageAmount(threshold, unit, coin, usd);
  const share = `${unit === 'operations' ? used : usageAmount(used, unit, coin, usd)} of ${allowed}`;
  if (perUser === null) return `${share} used.`;
  const within = windowEndsAt === null ? 'so far' : 'in this window';
  if (perUser.users === 0) return windowEndsAt === null ? 'Not used yet.' : `Not used ${within}.`;
  const atLimit = perUser.atLimit === 0 ? 'none is' : `${perUser.atLimit} ${perUser.atLimit === 1 ? 'is' : 'are'}`;
  const who = (countsPeople(usage) ? personCount : userCount)(perUser.users);
  return `${who} ${within}; the busiest has used ${share}, ${atLimit} at the limit.`;
};

const DAY_MS = 86_400_000;
/** Rules that are used on some days only should not be named every week. */
const WORTH_SAYING_DAYS = 7;

/** For how long no operation has used a rule; undefined if that is too short to matter. @param now epoch ms */
export const unusedWords = ({ lastAt, knownSince }: LastUse, now: number): string | undefined => {
  const days = Math.floor((now - (lastAt ?? knownSince)) / DAY_MS);
  return days < WORTH_SAYING_DAYS ? undefined : `Not used for ${days} days`;
};
