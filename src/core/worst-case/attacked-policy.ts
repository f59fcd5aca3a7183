import type { Policy, PolicyRule } from '../policy.ts';
import { isRuleType, ruleTypeOf } from '../rule-words.ts';

const withoutTimes = ({ when: _when, activeFrom: _from, activeUntil: _until, ...rule }: PolicyRule): PolicyRule => rule;

const isNarrowed = ({ when, activeFrom, activeUntil }: PolicyRule): boolean =>
  [when, activeFrom, activeUntil].some((bound) => bound !== undefined);

const asAttacked = (rule: PolicyRule): PolicyRule[] => {
  if (rule.enforcement === 'shadow' || !isRuleType(rule.policyType)) return [];
  const { anybodyMeets = false, allows = false } = ruleTypeOf(rule.policyType).setup;
  if (anybodyMeets) return [];
  if (allows) return [withoutTimes(rule)];
  return isNarrowed(rule) ? [] : [rule];
};

/**
 * The policy as it binds an attacker: conditions are met, what allows something always does, and what forbids only at times
 * or under a condition never does.
 */
export const attackedPolicy = (policy: Policy): Policy => ({ ...policy, rules: policy.rules.flatMap(asAttacked) });

/** Whether active rules were left out that do bind others. */
export const leavesRulesOut = (policy: Policy): boolean =>
  policy.rules.some((rule) => rule.active && rule.enforcement !== 'shadow' && asAttacked(rule).length === 0);
