import { decimalToWei, positiveDecimal } from '../../../../shared/schema/decimal.ts';
import { type CycleDuration, thresholdFault } from '../../../../shared/schema/rule.ts';
import type { Rule } from '../../desk/types.ts';
import { shownAmount } from '../../ui/amount.ts';

/** What a spending limit says, as a form or the engine holds it. */
export interface LimitWords {
  readonly type: 'PAYMASTER' | 'SMART_ACCOUNT';
  readonly cycleDuration: CycleDuration;
  /** Decimal digits: operations, or whole coins. */
  readonly threshold: string;
  readonly thresholdType: 'COUNT' | 'NATIVE_ASSET';
}

const everyCycle = ({ value, unit }: CycleDuration): string => (value === 1 ? `per ${unit}` : `per ${value} ${unit}s`);

const howMuch = ({ threshold, thresholdType }: LimitWords, coin: string): string => {
  if (thresholdType === 'COUNT') return `${threshold} ${threshold === '1' ? 'operation' : 'operations'} sponsored`;
  return `gas for ${shownAmount(decimalToWei(threshold))} ${coin} sponsored`;
};

/** A limit's consequence as a sentence made from its values. */
export const limitSentence = (limit: LimitWords, coin: string): string => {
  const who = limit.type === 'SMART_ACCOUNT' ? 'Each user may have' : 'All users together may have';
  return `${who} ${howMuch(limit, coin)} ${everyCycle(limit.cycleDuration)}.`;
};

/** As people type amounts: no exponent, no sign. */
const DIGITS = /^[\d.]+$/;

/** The number that stands for a typed threshold; undefined if none does digit by digit, as money must not be rounded. */
export const thresholdNumber = (typed: string): number | undefined => {
  const text = typed.trim();
  const digits = DIGITS.test(text) ? positiveDecimal(text) : undefined;
  return digits !== undefined && positiveDecimal(String(Number(text))) === digits ? Number(text) : undefined;
};

/** What is wrong with a threshold as it was typed, in a sentence; undefined if nothing is. */
export const typedThresholdFault = (typed: string, type: LimitWords['thresholdType']): string | undefined => {
  const text = typed.trim();
  if (!DIGITS.test(text) || positiveDecimal(text) === undefined) return 'Give a number above zero, in digits.';
  const fault = thresholdFault(type, text);
  if (fault !== undefined) return `It ${fault}.`;
  return thresholdNumber(text) === undefined ? 'Give at most 15 digits.' : undefined;
};

/** What a rule does, as a sentence. */
export const ruleSentence = ({ policyData }: Rule, coin: string): string => {
  if ('threshold' in policyData) return limitSentence(policyData, coin);
  if ('url' in policyData) {
    const outage = policyData.failOpen === true ? 'passes' : 'is denied';
    return `${policyData.url} must verify each operation; while it does not answer, an operation ${outage}.`;
  }
  if ('operator' in policyData) return 'Operations that deploy their account are sponsored.';
  const { whitelistedMethods, methods } = policyData;
  if (whitelistedMethods.length === 0) return `None of its ${methods.length} write methods is sponsored.`;
  return `Calls of ${whitelistedMethods.join(', ')} are sponsored.`;
};

/** Types of rules, in the operator's words. */
export const ruleTypes: Readonly<Record<Rule['policyType'], string>> = {
  PAYMASTER_SA_LIMIT: 'Spending limit',
  WEBHOOK: 'Webhook',
  WALLET_DEPLOYMENT: 'Wallet deployment',
  WHITELISTED_CONTRACT: 'Contract',
};
