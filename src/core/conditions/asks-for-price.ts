import type { Policy } from '../policy.ts';
import { conditionSetup } from '../condition-data.ts';
import { readCondition } from './condition.ts';

/** Whether an active rule of a policy has a condition for which it must be known what the coin is worth. */
export const conditionsAskForPrice = ({ rules }: Policy): boolean => {
  const active = rules.filter((rule) => rule.active);
  const conditions = active
    .filter(({ policyType }) => policyType === conditionSetup.policyType)
    .map(({ policyData }) => conditionSetup.kept.parse(policyData).expression);
  const whens = active.flatMap(({ when }) => when ?? []);
  return [...conditions, ...whens].some((expression) => readCondition(expression).asksForPrice);
};
