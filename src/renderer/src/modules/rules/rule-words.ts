import { decimalToWei, positiveDecimal } from '../../../../shared/schema/decimal.ts';
import { type CycleDuration, thresholdFault } from '../../../../shared/schema/rule.ts';
import type { LimitPreview, LimitUsage, Rule } from '../../desk/types.ts';
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

/** What is wrong with a threshold as it was typed, in a sentence; undefined if nothing is. */
export const typedThresholdFault = (typed: string, type: LimitWords['thresholdType']): string | undefined => {
  const text = typed.trim();
  if (!DIGITS.test(text) || positiveDecimal(text) === undefined) return 'Give a number above zero, in digits.';
  const fault = thresholdFault(type, text);
  return fault === undefined ? undefined : `It ${fault}.`;
};

const people = (count: number): string => `${count} ${count === 1 ? 'user' : 'users'}`;

/** What a limit would have done, as a sentence. */
export const previewSentence = (preview: LimitPreview): string => {
  const { users, usersReached, operations, operationsDenied, complete } = preview;
  if (operations === 0) return 'There was no traffic in the last 24 hours to try it on.';
  const traffic = complete ? "On the last 24 hours' traffic" : `On the last ${operations} operations`;
  if (usersReached === 0) return `${traffic}, none of ${people(users)} would have reached it.`;
  const denied = `${operationsDenied} of ${operations} operations been denied`;
  return `${traffic}, ${usersReached} of ${people(users)} would have reached it, and ${denied}.`;
};

/** An amount of what a limit counts, with its unit. */
export const usageAmount = (amount: string, unit: LimitUsage['unit'], coin: string): string => {
  if (unit === 'wei') return `${shownAmount(BigInt(amount))} ${coin}`;
  return amount === '1' ? '1 operation' : `${amount} operations`;
};

/** How much of a limit is used, as a sentence. */
export const usageSentence = ({ used, threshold, unit, perUser }: LimitUsage, coin: string): string => {
  const allowed = usageAmount(threshold, unit, coin);
  const share = `${unit === 'wei' ? usageAmount(used, unit, coin) : used} of ${allowed}`;
  if (perUser === null) return `${share} used.`;
  if (perUser.users === 0) return `Nobody has used it in this window.`;
  const atLimit = perUser.atLimit === 0 ? 'nobody is' : `${perUser.atLimit} ${perUser.atLimit === 1 ? 'is' : 'are'}`;
  return `${people(perUser.users)} in this window; the nearest has used ${share}, ${atLimit} at the limit.`;
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
