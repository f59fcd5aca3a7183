import { grouped, shownAmount } from '../../shared/words/amount.ts';
import { ruleName } from '../decision/rule-words.ts';
import type { Period, Stop } from './bounds.ts';

export const periodWords: Readonly<Record<Period, string>> = {
  atOnce: 'At once',
  hour: 'In any hour',
  day: 'In any day',
};

/** What stops an attacker if it is the DApp's part of a bound for several. */
const OF_ONE_DAPP: Readonly<Record<string, string>> = {
  BURN_RATE_EXCEEDED_BY_DAPP: "DApp's half of the burn-rate breaker",
  TANK_SHARE_REACHED: "DApp's share of the gas tank",
};

/** A rule that stops an attacker, to be used within a sentence. */
export const stopWords = ({ rule, name, code }: Stop): string => {
  const ofOne = OF_ONE_DAPP[code];
  if (ofOne !== undefined) return ofOne;
  const title = ruleName(rule).toLowerCase();
  // Titles such as "Senders" name what the rule is about.
  const words = title.endsWith('s') ? `rule on ${title}` : title;
  return name === null ? words : `${words} "${name}"`;
};

/** An amount that an attacker can spend. @param wei null if nothing stops the attacker */
export const worstAmount = (wei: string | null, coin: string): string =>
  wei === null ? 'no bound' : `${shownAmount(BigInt(wei))} ${coin}`;

/**
 * A sentence about the amount that can be spent within a period, and what limits it. @param coin symbol of the native
 * coin
 */
export const boundSentence = (
  {
    period,
    amountWei,
    stoppedBy,
  }: { readonly period: Period; readonly amountWei: string | null; readonly stoppedBy: Stop | null },
  coin: string,
): string => {
  if (amountWei === null || stoppedBy === null) return `${periodWords[period]}: nothing stops it.`;
  return `${periodWords[period]}: ${worstAmount(amountWei, coin)}, then the ${stopWords(stoppedBy)} stops it.`;
};

/** The worst case in one sentence, with one number. @param coin symbol of the native coin */
export const headline = (
  bounds: readonly { readonly period: Period; readonly amountWei: string | null }[],
  coin: string,
): string => {
  const amountWei = bounds.find(({ period }) => period === 'day')?.amountWei ?? null;
  return amountWei === null
    ? 'Nothing stops an attacker with the API key.'
    : `An attacker with the API key can make you pay at most ${worstAmount(amountWei, coin)} a day.`;
};

/** The assumptions of the worst-case computation, as sentences. */
export const assumptions = ({
  asksWebhooks,
  leavesRulesOut,
  takesTokens,
  people,
}: {
  readonly asksWebhooks: boolean;
  readonly leavesRulesOut: boolean;
  readonly takesTokens: boolean;
  /** People whom the attacker can have verified; null for any number. */
  readonly people: number | null;
}): string[] => [
  ...(people === null ? [] : [`Assumes that the attacker is ${peopleWords(people)}.`]),
  ...(asksWebhooks ? ['Assumes that webhooks verify every operation.'] : []),
  ...(leavesRulesOut
    ? [
        'Assumes that the attacker meets conditions, holds tokens, and avoids rules with a schedule or a condition. Limits in US dollars count only while the price of the coin is known.',
      ]
    : []),
  ...(takesTokens ? ['Excludes operations paid in a token, since spending limits do not apply to them.'] : []),
];

const peopleWords = (people: number): string => (people === 1 ? '1 person' : `${grouped(String(people))} people`);

/**
 * What a limit that counts people allows an attacker, as a sentence. @param people those of the attacker; null for any
 * number
 */
export const perPersonWords = (stop: Stop & { readonly allows: string }, people: number | null): string =>
  people === null
    ? `The ${stopWords(stop)} allows each person ${stop.allows}. State how many people an attacker may be, to see what it bounds.`
    : `The ${stopWords(stop)} allows ${peopleWords(people)} × ${stop.allows}.`;

/** Why a rule does not bound the cost. */
export const perAccountWords = (stop: Stop): string => {
  const subject = stop.rule === 'gasTank' ? "A user's share of the gas tank" : `The ${stopWords(stop)}`;
  return `${subject} stops no attacker: it counts each account, and new accounts are free.`;
};
