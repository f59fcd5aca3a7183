import { type ConditionError, conditionError } from '../../../../core/conditions/condition.ts';

/** The error in an expression that was typed; undefined if it is correct or empty. */
export const typedError = (text: string): ConditionError | undefined =>
  text.trim() === '' ? undefined : conditionError(text);

/** The error as a sentence that includes its position; empty if the expression is correct or empty. */
export const expressionError = (text: string): string => {
  const error = typedError(text);
  return error === undefined ? '' : `${error.message} (character ${error.at + 1})`;
};
