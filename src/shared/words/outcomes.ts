import type { DecisionRecord } from '../schema/decision.ts';

export const outcomeWords: Readonly<Record<DecisionRecord['outcome'], string>> = {
  sponsored: 'Sponsored',
  denied: 'Denied',
  error: 'Failed',
};

export const stepWords: Readonly<Record<DecisionRecord['trace'][number]['outcome'], string>> = {
  pass: 'passes',
  deny: 'denies',
  skip: 'does not apply',
  wouldDeny: 'would deny',
};
