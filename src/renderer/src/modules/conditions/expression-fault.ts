import { type ConditionFault, conditionFault } from '../../../../core/conditions/condition.ts';

/** The fault of a typed expression; undefined if it has none or is empty. */
export const typedFault = (text: string): ConditionFault | undefined =>
  text.trim() === '' ? undefined : conditionFault(text);

/** The same as a sentence with its position; empty without a fault. */
export const expressionFault = (text: string): string => {
  const fault = typedFault(text);
  return fault === undefined ? '' : `${fault.message} (character ${fault.at + 1})`;
};
