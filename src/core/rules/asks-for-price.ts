import { readCondition } from '../conditions/condition.ts';
import type { Policy } from '../policy/policy.ts';
import { ruleKinds } from './registry.ts';
import { rulesOf } from './rule.ts';

/** Results by policy: a policy is never modified. */
const known = new WeakMap<Policy, boolean>();

const isAsking = ({ rules }: Policy): boolean => {
  const active = rules.filter((rule) => rule.active);
  return (
    active.some(({ when }) => when !== undefined && readCondition(when).asksForPrice) ||
    ruleKinds.some(
      ({ setup }) =>
        setup?.asksForPrice !== undefined &&
        rulesOf(setup, active).some(({ policyData }) => setup.asksForPrice?.(policyData)),
    )
  );
};

/** Whether an active rule needs the price of the native coin in US dollars, to decide or to apply. */
export const asksForPrice = (policy: Policy): boolean => {
  const asks = known.get(policy) ?? isAsking(policy);
  known.set(policy, asks);
  return asks;
};
