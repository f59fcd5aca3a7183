import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { IconName } from './icons.ts';

/** Outcomes are told by icon, word and colour together. */
export const outcomes: Readonly<Record<DecisionRecord['outcome'], { icon: IconName; word: string }>> = {
  sponsored: { icon: 'check', word: 'Sponsored' },
  denied: { icon: 'cross', word: 'Denied' },
  error: { icon: 'fault', word: 'Failed' },
};

/** Rules that can deny, in the operator's words. */
const ruleNames: Readonly<Record<string, string>> = {
  pause: 'Pause',
  gas: 'Gas',
  contracts: 'Contracts',
  walletDeployment: 'Wallet deployment',
  fees: 'Fees',
  spendingLimit: 'Spending limit',
  gasTank: 'Gas tank',
  webhook: 'Webhook',
  tokenPayment: 'Token payment',
};

/** A rule as it is called on the screen. */
export const ruleName = (rule: string): string => ruleNames[rule] ?? rule;
