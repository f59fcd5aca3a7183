import type { Evidence } from '../../../shared/denials.ts';
import type { PolicyRule } from '../../policy/policy.ts';
import { readCondition } from '../../conditions/condition.ts';
import { type CheckResult, type RuleInput, deny } from '../rule.ts';

/** The inputs for a condition. */
type ConditionSubject = Pick<RuleInput, 'facts' | 'policy' | 'values' | 'ask'>;

/** Why a condition gives neither yes nor no. */
type Refusal = CheckResult<'CONDITION_FAILED' | 'CONDITION_NOT_READ'>;

const failureEvidence = (
  expression: string,
  failure: string,
  { facts, policy, values }: ConditionSubject,
): Evidence => {
  const { missing, asksForPrice } = readCondition(expression);
  const [, key] = /^No such key: (.+)$/.exec(failure) ?? [];
  const named = key === undefined ? undefined : missing(values(), key);
  const error = asksForPrice && key === 'maxCostUsd' ? facts.price?.error : undefined;
  return {
    expression,
    failure,
    ...(named !== undefined && { missing: named }),
    ...(error !== undefined && { priceError: error, chainId: policy.dapp.chainId }),
  };
};

/** The answer of a rule's condition for an operation, or why the operation is denied. */
export const askCondition = (
  { name: rule, enforcement }: Pick<PolicyRule, 'name' | 'enforcement'>,
  expression: string,
  asked: ConditionSubject,
): { readonly holds: boolean } | Refusal => {
  const condition = readCondition(expression);
  if (condition.asksForPrice && asked.facts.price === undefined)
    return deny('CONDITION_NOT_READ', { rule, expression });
  const answer = asked.ask(expression, enforcement === 'shadow');
  if (!('failure' in answer)) return answer;
  return deny('CONDITION_FAILED', { rule, ...failureEvidence(expression, answer.failure, asked) });
};
