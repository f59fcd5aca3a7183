import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import { outcomeWords } from '../../../shared/words/outcomes.ts';

export const stepStates = {
  pass: { icon: 'check', tone: 'good' },
  deny: { icon: 'cross', tone: 'warning' },
  skip: { icon: 'skip', tone: 'quiet' },
  wouldDeny: { icon: 'cross', tone: 'quiet' },
} as const;

/** Icon, word and colour of each outcome, which are always used together. */
export const outcomes = {
  sponsored: { icon: 'check', tone: 'good', word: outcomeWords.sponsored },
  denied: { icon: 'cross', tone: 'warning', word: outcomeWords.denied },
  error: { icon: 'error', tone: 'bad', word: outcomeWords.error },
} as const satisfies Record<DecisionRecord['outcome'], object>;
