import { weiToDecimal } from '../../../../shared/schema/decimal.ts';
import { shownWeiOrNone, typedWeiOrNone } from '../../../../shared/typed-wei.ts';
import type { Chain } from '../../desk/types.ts';

/** The budget of a chain as text: an amount of the native coin; empty for none. */
export const budgetText = ({ unreachable }: Pick<Chain, 'unreachable'>): string =>
  shownWeiOrNone(unreachable?.budgetWei);

/** The budget that was typed: null for none; undefined if the text is no amount. */
export const typedBudget = (text: string): { budgetWei: string } | null | undefined => {
  const budgetWei = typedWeiOrNone(text);
  return typeof budgetWei === 'string' ? { budgetWei } : budgetWei;
};

export const unreachableSentence = (text: string, symbol: string): string => {
  const typed = typedBudget(text);
  if (typed === undefined) return 'Enter an amount above 0, or nothing.';
  if (typed === null) return 'While the node does not answer, nothing is signed.';
  const amount = `${weiToDecimal(BigInt(typed.budgetWei))} ${symbol}`;
  return (
    'While the node does not answer, operations that include their gas limits are signed without checking fees and ' +
    `gas tank. Signing stops when their maximum costs add up to ${amount}. An answer of the node renews the budget once an hour has ` +
    `passed since the last of them. Users who can make the node fail can cost you up to ${amount} in any hour.`
  );
};
