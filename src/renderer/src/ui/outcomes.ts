import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import { outcomeWords } from '../../../shared/words/outcomes.ts';

/** Outcomes of one step of a trace. */
export const stepStates = {
  pass: { icon: 'check', tone: 'good' },
  deny: { icon: 'cross', tone: 'warning' },
  skip: { icon: 'next', tone: 'quiet' },
  wouldDeny: { icon: 'cross', tone: 'quiet' },
} as const;

/** Outcomes are told by icon, word and colour together. */
export const outcomes = {
  sponsored: { icon: 'check', tone: 'good', word: outcomeWords.sponsored },
  denied: { icon: 'cross', tone: 'warning', word: outcomeWords.denied },
  error: { icon: 'fault', tone: 'bad', word: outcomeWords.error },
} as const satisfies Record<DecisionRecord['outcome'], object>;
