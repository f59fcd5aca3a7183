import { evaluateCondition } from '../rules/condition/index.ts';
import type { Facts } from '../facts/facts.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { isRuleType, ruleTypeOf } from './rule-words.ts';
import {
  type CheckResult,
  type IdleRule,
  type RuleInput,
  bindsTokenMode,
  saidBy,
  skip,
  wasRead,
} from '../rules/rule.ts';

const ofTime = ({ name, activeFrom, activeUntil }: PolicyRule, now: number): CheckResult<never> | undefined => {
  if (activeFrom !== undefined && now < activeFrom) return skip('NOT_ACTIVE_YET', { rule: name, startsAt: activeFrom });
  if (activeUntil !== undefined && now >= activeUntil)
    return skip('NO_LONGER_ACTIVE', { rule: name, endedAt: activeUntil });
  return undefined;
};

/** Whether the times of a rule include `now`, epoch ms. */
export const isInTime = (rule: PolicyRule, now: number): boolean => ofTime(rule, now) === undefined;

/** True for a rule that permits operations which are denied without it. */
const isAllowing = ({ policyType }: PolicyRule): boolean =>
  isRuleType(policyType) && ruleTypeOf(policyType).setup.allows !== undefined;

/**
 * The policy for users who pay in a token: no rule of sponsorship applies to them (behaviour 5.2), unless it says that
 * it does.
 */
export const withoutSponsorshipRules = (policy: Policy): Policy => ({
  ...policy,
  contracts: [],
  rules: policy.rules.filter(
    ({ policyType, policyData }) => isRuleType(policyType) && bindsTokenMode(ruleTypeOf(policyType).setup, policyData),
  ),
  webhooks: [],
});

const ofCondition = (rule: PolicyRule, input: Parameters<typeof evaluateCondition>[2]): CheckResult | undefined => {
  const { name, when } = rule;
  if (when === undefined) return undefined;
  // Gas and fees may be open. Whether the rule applies is decided when they are known; until then it denies nothing.
  if (input.facts.stage === 'draft') return isAllowing(rule) ? undefined : skip('NOT_KNOWN_YET', { rule: name, when });
  const answer = evaluateCondition(rule, when, input);
  if ('holds' in answer) return answer.holds ? undefined : skip('NOT_CONCERNED', { rule: name, when });
  if (!isAllowing(rule) || !wasRead(answer)) return answer;
  return skip('NOT_CONCERNED', { rule: name, when, failure: String(answer.evidence.failure) });
};

/**
 * Divides the rules of a policy into those that apply to an operation, and those that do not. A condition that cannot
 * be evaluated denies. A rule that allows restricts when it does not apply, for example while it is paused.
 * @param conditions evaluates the conditions
 */
export const divideRules = (
  policy: Policy,
  facts: Facts,
  conditions: Pick<RuleInput, 'values' | 'evaluate'>,
): { readonly policy: Policy; readonly idle: readonly IdleRule[] } => {
  const idle = policy.rules.flatMap((rule): IdleRule[] => {
    const result = rule.active
      ? (ofTime(rule, facts.at) ?? ofCondition(rule, { facts, policy, ...conditions }))
      : undefined;
    return result === undefined ? [] : [{ rule, result: saidBy(rule, result) }];
  });
  if (idle.length === 0) return { policy, idle };
  const results = new Map(idle.map(({ rule, result }) => [rule, result]));
  const rules = policy.rules.flatMap((rule) => {
    const result = results.get(rule);
    if (result === undefined) return [rule];
    // If it is unknown whether the rule allows, that alone denies.
    return isAllowing(rule) ? [{ ...rule, active: !wasRead(result) }] : [];
  });
  return { policy: { ...policy, rules }, idle };
};

/** The policy with only those rules that apply to every operation at any time: conditions may rely on them. */
export const withLastingRules = (policy: Policy): Policy => ({
  ...policy,
  rules: policy.rules.filter(({ when, activeFrom, activeUntil }) =>
    [when, activeFrom, activeUntil].every((bound) => bound === undefined),
  ),
});
