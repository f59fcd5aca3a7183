import { CONTRACT_TYPE } from '../../../../api/rules.ts';
import { ruleTypeOf } from '../../../../core/decision/rule-words.ts';
import { type LimitWords, thresholdError } from '../../../../core/rules/spending-limit/index.ts';
import { positiveDecimal } from '../../../../shared/schema/decimal.ts';
import type { Rule } from '../../desk/types.ts';

/** An amount as people type it, without exponent or sign. */
const DIGITS = /^[\d.]+$/;

/** The error in a threshold that was typed, as a sentence; undefined without an error. */
export const typedThresholdError = (typed: string, type: LimitWords['thresholdType']): string | undefined => {
  const text = typed.trim();
  if (!DIGITS.test(text) || positiveDecimal(text) === undefined) return 'Enter a number above 0.';
  if (type === 'COUNT' && text.includes('.')) return 'Enter a whole number above 0.';
  const error = thresholdError(type, text);
  return error === undefined ? undefined : `It ${error}.`;
};

interface ContractData {
  readonly whitelistedMethods: readonly string[];
  readonly methods: readonly string[];
}

export const ruleSentence = ({ policyType, policyData }: Rule, coin: string): string => {
  if (policyType !== CONTRACT_TYPE) {
    const { setup } = ruleTypeOf(policyType);
    return setup.sentence(setup.stored.parse(policyData), coin);
  }
  const { whitelistedMethods, methods } = policyData as unknown as ContractData;
  if (whitelistedMethods.length === 0) return `None of its ${methods.length} write methods is sponsored.`;
  return `Calls to ${whitelistedMethods.join(', ')} are sponsored.`;
};
