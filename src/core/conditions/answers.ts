import { type Answer, readCondition } from './condition.ts';
import type { ConditionValues } from './vocabulary.ts';

/**
 * The maximum number of evaluation steps for all conditions of one decision together. Enforced rules and shadow rules
 * each have this budget, so that a shadow rule cannot cause a denial. The steps are computed from the size of the
 * operation before the evaluation, so a replay gives the same result. The budget bounds the cost of a decision, however
 * many rules a DApp has.
 */
export const MAX_STEPS_OF_DECISION = 400_000;

/** Why a condition is not evaluated: earlier conditions have used all steps. */
export const STEPS_USED_UP = 'the conditions of all rules together take too many steps for an operation of this size';

/** Evaluates a condition of a decision. @param isShadow whether its rule is in shadow mode */
export type EvaluateCondition = (expression: string, isShadow: boolean) => Answer;

/** Evaluates the conditions of one decision in order. Equal expressions are evaluated only once. */
export const conditionAnswers = (values: () => ConditionValues): EvaluateCondition => {
  const known = new Map<string, Answer>();
  const left = { enforced: MAX_STEPS_OF_DECISION, shadow: MAX_STEPS_OF_DECISION };
  return (expression, isShadow) => {
    const before = known.get(expression);
    if (before !== undefined) return before;
    const { evaluate, steps } = readCondition(expression);
    const [taken, kind] = [steps(values()), isShadow ? 'shadow' : 'enforced'] as const;
    if (taken > left[kind]) return { failure: STEPS_USED_UP };
    left[kind] -= taken;
    const answer = evaluate(values());
    known.set(expression, answer);
    return answer;
  };
};
