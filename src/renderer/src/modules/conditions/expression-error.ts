import { type ConditionError, conditionError } from '../../../../core/conditions/condition.ts';

/** The error of a typed expression; undefined if it has none or is empty. */
export const typedError = (text: string): ConditionError | undefined =>
  text.trim() === '' ? undefined : conditionError(text);

/** The same as a sentence with its position; empty without an error. */
export const expressionError = (text: string): string => {
  const error = typedError(text);
  return error === undefined ? '' : `${error.message} (character ${error.at + 1})`;
};
