import type { Facts } from '../facts/facts.ts';
import { identitySetup } from '../rules/identity/index.ts';
import { isInDollars } from '../rules/spending-limit/index.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { isRuleType, ruleTypeOf } from '../decision/rule-words.ts';

const withoutTimes = ({ when: _when, activeFrom: _from, activeUntil: _until, ...rule }: PolicyRule): PolicyRule => rule;

const isNarrowed = ({ when, activeFrom, activeUntil }: PolicyRule): boolean =>
  [when, activeFrom, activeUntil].some((bound) => bound !== undefined);

const asAttacked = (rule: PolicyRule, price: Facts['price']): PolicyRule[] => {
  // The attacker's people are verified, so such a rule denies nothing. Limits that count people need it.
  if (rule.policyType === identitySetup.policyType) return [withoutTimes(rule)];
  if (rule.enforcement === 'shadow' || !isRuleType(rule.policyType)) return [];
  const { anybodyMeets = false, allows } = ruleTypeOf(rule.policyType).setup;
  if (anybodyMeets) return [];
  if (allows !== undefined) return [withoutTimes(rule)];
  // Without a price, the value of a limit in dollars is unknown. The limit then denies everything, but a price may
  // become available at any time.
  const isUnknown = isInDollars(rule) && (price === undefined || price.usd === null);
  return isNarrowed(rule) || isUnknown ? [] : [rule];
};

/**
 * The policy as it affects an attacker. The attacker meets all conditions. Rules that allow always apply, and rules
 * that forbid only at certain times or under a condition never apply.
 */
export const attackedPolicy = (policy: Policy, price: Facts['price']): Policy => ({
  ...policy,
  rules: policy.rules.flatMap((rule) => asAttacked(rule, price)),
});

/** Whether active rules were left out that do affect other users. */
export const leavesRulesOut = ({ rules }: Policy, price: Facts['price']): boolean =>
  rules.some((rule) => rule.active && rule.enforcement !== 'shadow' && asAttacked(rule, price).length === 0);
