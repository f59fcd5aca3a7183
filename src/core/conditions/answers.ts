import { type Answer, readCondition } from './condition.ts';
import type { ConditionValues } from './vocabulary.ts';

/**
 * Steps that the conditions of one decision may take together: those of the enforced rules, and as many for those in
 * shadow, so that a rule in shadow denies nothing. Steps are counted in advance, by the size of the operation: a
 * decision has the same result wherever it is decided again. This bounds the cost of a decision however many rules a
 * DApp has.
 */
export const MAX_STEPS_OF_DECISION = 400_000;

/** Why a condition is not evaluated once the others have used up the steps. */
export const STEPS_USED_UP = 'the conditions of all rules together take too many steps for an operation of this size';

/** Evaluates a condition of a decision. @param isShadow whether its rule is in shadow */
export type EvaluateCondition = (expression: string, isShadow: boolean) => Answer;

/** Evaluates the conditions of one decision in their order, each text once. */
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
