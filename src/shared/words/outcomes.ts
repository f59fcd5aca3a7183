import type { DecisionRecord } from '../schema/decision.ts';

/** Outcomes as they are called on the screen and on paper. */
export const outcomeWords: Readonly<Record<DecisionRecord['outcome'], string>> = {
  sponsored: 'Sponsored',
  denied: 'Denied',
  error: 'Failed',
};

/** What a step of a trace says to the operation. */
export const stepWords: Readonly<Record<DecisionRecord['trace'][number]['outcome'], string>> = {
  pass: 'passes',
  deny: 'denies',
  skip: 'does not apply',
};

/** Rules that can deny, in the operator's words. */
const ruleNames: Readonly<Record<string, string>> = {
  pause: 'Pause',
  gas: 'Gas',
  authorization: 'EIP-7702 authorisation',
  contracts: 'Contracts',
  walletDeployment: 'Wallet deployment',
  fees: 'Fees',
  spendingLimit: 'Spending limit',
  tokenPayment: 'Token payment',
  gasTank: 'Gas tank',
  webhook: 'Webhook',
  burnRate: 'Burn-rate breaker',
  token: 'Fee token',
};

/** A rule as it is called on the screen and on paper. */
export const ruleName = (rule: string): string => (Object.hasOwn(ruleNames, rule) ? (ruleNames[rule] ?? rule) : rule);
