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

/** Whether `now` is in the active period of a rule. Epoch ms. */
export const isInTime = (rule: PolicyRule, now: number): boolean => ofTime(rule, now) === undefined;

/** True for a rule that allows operations which are denied without such a rule. */
const isAllowing = ({ policyType }: PolicyRule): boolean =>
  isRuleType(policyType) && ruleTypeOf(policyType).setup.allows !== undefined;

/**
 * The policy for users who pay in a token. Sponsorship rules do not apply to them (behaviour 5.2), except those that
 * are set to apply.
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
  // Gas and fees may be unknown in a draft. Whether the rule applies is decided when they are known. Until then, the
  // rule denies nothing.
  if (input.facts.stage === 'draft') return isAllowing(rule) ? undefined : skip('NOT_KNOWN_YET', { rule: name, when });
  const answer = evaluateCondition(rule, when, input);
  if ('holds' in answer) return answer.holds ? undefined : skip('NOT_CONCERNED', { rule: name, when });
  if (!isAllowing(rule) || !wasRead(answer)) return answer;
  return skip('NOT_CONCERNED', { rule: name, when, failure: String(answer.evidence.failure) });
};

/**
 * Divides the rules of a policy into those that apply to an operation, and those that do not. A condition that cannot
 * be evaluated denies the operation. While a rule that allows operations does not apply, for example while it is
 * paused, those operations are denied.
 * @param conditions evaluates the conditions
 */
export const divideRules = (
  policy: Policy,
  facts: Facts,
  conditions: Pick<RuleInput, 'values' | 'evaluate'>,
): { readonly policy: Policy; readonly idle: readonly IdleRule[] } => {
  const input = { facts, policy, ...conditions };
  const idle: IdleRule[] = [];
  for (const rule of policy.rules) {
    const result = rule.active ? (ofTime(rule, facts.at) ?? ofCondition(rule, input)) : undefined;
    if (result !== undefined) idle.push({ rule, result: saidBy(rule, result) });
  }
  if (idle.length === 0) return { policy, idle };
  const results = new Map(idle.map(({ rule, result }) => [rule, result]));
  const rules = policy.rules.flatMap((rule) => {
    const result = results.get(rule);
    if (result === undefined) return [rule];
    // If a value that the condition needs was not read, `result` already denies the operation. The rule then stays
    // active, so that its absence does not cause a second denial.
    return isAllowing(rule) ? [{ ...rule, active: !wasRead(result) }] : [];
  });
  return { policy: { ...policy, rules }, idle };
};

/** The policy with only those rules that apply to every operation at any time. Conditions may rely on these rules. */
export const withLastingRules = (policy: Policy): Policy => ({
  ...policy,
  rules: policy.rules.filter(({ when, activeFrom, activeUntil }) =>
    [when, activeFrom, activeUntil].every((bound) => bound === undefined),
  ),
});
