import type { Chain } from '../desk/types.ts';
import { shownAmount } from '../../../shared/words/amount.ts';
import { shortTime } from './time.ts';

export const budgetWords = (
  { budgetWei, signedWei, since }: NonNullable<Chain['unreachable']>,
  symbol: string,
): string => {
  const used = `${shownAmount(BigInt(signedWei))} of ${shownAmount(BigInt(budgetWei))} ${symbol} signed unchecked`;
  return since === null ? used : `${used} since ${shortTime(since)}`;
};
