import type { DecisionFilters } from '../contract/decisions.ts';
import { outcomeWords, ruleName } from '../words/outcomes.ts';
import { utcTime } from './decision-article.ts';

/** A filter in words. @param dapp name of the DApp it names, if it is known */
export const filterWords = (
  { paymasterId, sender, outcome, rule, from, to }: DecisionFilters,
  dapp: string | undefined,
): string => {
  const words = [
    outcome !== undefined && outcomeWords[outcome].toLowerCase(),
    rule !== undefined && `decided by the rule ${ruleName(rule)}`,
    paymasterId !== undefined && `for the DApp ${dapp === undefined ? paymasterId : `${dapp} (${paymasterId})`}`,
    sender !== undefined && `of the user ${sender}`,
    from !== undefined && `from ${utcTime(from)} on`,
    to !== undefined && `before ${utcTime(to)}`,
  ].filter((word) => word !== false);
  return words.length === 0 ? 'All decisions' : `Decisions ${words.join(', ')}`;
};
