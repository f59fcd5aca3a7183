import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import { outcomeWords } from '../../../shared/words/outcomes.ts';
import type { IconName } from './icons.ts';

export { ruleName } from '../../../shared/words/outcomes.ts';

/** Outcomes are told by icon, word and colour together. */
export const outcomes: Readonly<Record<DecisionRecord['outcome'], { icon: IconName; word: string }>> = {
  sponsored: { icon: 'check', word: outcomeWords.sponsored },
  denied: { icon: 'cross', word: outcomeWords.denied },
  error: { icon: 'fault', word: outcomeWords.error },
};
