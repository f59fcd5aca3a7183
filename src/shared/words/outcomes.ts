import type { DecisionRecord } from '../schema/decision.ts';

/** Outcomes as shown on screen and on paper. */
export const outcomeWords: Readonly<Record<DecisionRecord['outcome'], string>> = {
  sponsored: 'Sponsored',
  denied: 'Denied',
  error: 'Failed',
};

/** What a trace step means for the operation. */
export const stepWords: Readonly<Record<DecisionRecord['trace'][number]['outcome'], string>> = {
  pass: 'passes',
  deny: 'denies',
  skip: 'does not apply',
  wouldDeny: 'would deny',
};
