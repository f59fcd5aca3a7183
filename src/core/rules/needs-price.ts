import { readCondition } from '../conditions/condition.ts';
import type { Policy } from '../policy/policy.ts';
import { ruleKinds } from './registry.ts';
import { rulesOf } from './rule.ts';

/** Results by policy. A policy is never modified. */
const known = new WeakMap<Policy, boolean>();

const computeNeed = ({ rules }: Policy): boolean => {
  const active = rules.filter((rule) => rule.active);
  return (
    active.some(({ when }) => when !== undefined && readCondition(when).needsPrice) ||
    ruleKinds.some(
      ({ setup }) =>
        setup?.needsPrice !== undefined &&
        rulesOf(setup, active).some(({ policyData }) => setup.needsPrice?.(policyData)),
    )
  );
};

/** Whether any active rule needs the price of the native coin in US dollars, for its check or its condition. */
export const needsPrice = (policy: Policy): boolean => {
  const needed = known.get(policy) ?? computeNeed(policy);
  known.set(policy, needed);
  return needed;
};
