import type { Evidence } from '../../../shared/denials.ts';
import type { PolicyRule } from '../../policy/policy.ts';
import { readCondition } from '../../conditions/condition.ts';
import { type CheckResult, type RuleInput, deny } from '../rule.ts';

/** What the evaluation of a condition depends on. */
type ConditionSubject = Pick<RuleInput, 'facts' | 'policy' | 'values' | 'evaluate'>;

/** Why a condition has no result. */
type Refusal = CheckResult<'CONDITION_FAILED' | 'CONDITION_NOT_READ'>;

const failureEvidence = (
  expression: string,
  failure: string,
  { facts, policy, values }: ConditionSubject,
): Evidence => {
  const { missing, needsPrice } = readCondition(expression);
  const [, key] = /^No such key: (.+)$/.exec(failure) ?? [];
  const named = key === undefined ? undefined : missing(values(), key);
  const error = needsPrice && key === 'maxCostUsd' ? facts.price?.error : undefined;
  return {
    expression,
    failure,
    ...(named !== undefined && { missing: named }),
    ...(error !== undefined && { priceError: error, chainId: policy.dapp.chainId }),
  };
};

/** The result of a rule's condition for an operation, or why the operation is denied. */
export const evaluateCondition = (
  { name: rule, enforcement }: Pick<PolicyRule, 'name' | 'enforcement'>,
  expression: string,
  subject: ConditionSubject,
): { readonly holds: boolean } | Refusal => {
  const condition = readCondition(expression);
  if (condition.needsPrice && subject.facts.price === undefined)
    return deny('CONDITION_NOT_READ', { rule, expression });
  const answer = subject.evaluate(expression, enforcement === 'shadow');
  if (!('failure' in answer)) return answer;
  return deny('CONDITION_FAILED', { rule, ...failureEvidence(expression, answer.failure, subject) });
};
