import { type ConditionFault, conditionFault } from '../../../../core/conditions/condition.ts';

/** What is wrong with an expression as it is typed; undefined: nothing, or nothing is typed. */
export const typedFault = (text: string): ConditionFault | undefined =>
  text.trim() === '' ? undefined : conditionFault(text);

/** The same in a sentence that says where; empty: nothing. */
export const expressionFault = (text: string): string => {
  const fault = typedFault(text);
  return fault === undefined ? '' : `${fault.message} (character ${fault.at + 1})`;
};
