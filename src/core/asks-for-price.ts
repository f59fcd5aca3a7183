import { conditionSetup } from './condition-data.ts';
import { readCondition } from './conditions/condition.ts';
import { isInDollars } from './limit-data.ts';
import type { Policy, PolicyRule } from './policy.ts';

const conditionsOf = ({ policyType, policyData, when }: PolicyRule): string[] => [
  ...(policyType === conditionSetup.policyType ? [conditionSetup.kept.parse(policyData).expression] : []),
  ...(when === undefined ? [] : [when]),
];

const isAsking = (rule: PolicyRule): boolean =>
  isInDollars(rule) || conditionsOf(rule).some((expression) => readCondition(expression).asksForPrice);

/** What was found out: a policy is never written to. */
const known = new WeakMap<Policy, boolean>();

/** Whether an active rule of a policy is a limit in US dollars, or has a condition on what an operation costs in them. */
export const asksForPrice = (policy: Policy): boolean => {
  const asks = known.get(policy) ?? policy.rules.some((rule) => rule.active && isAsking(rule));
  known.set(policy, asks);
  return asks;
};
