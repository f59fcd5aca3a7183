import type { Evidence, Explanation } from '../../shared/denials.ts';
import { ruleKinds } from '../rules/registry.ts';
import type { RuleType } from '../rules/rule.ts';

/** The types of the rules that can deny, in the order in which they are checked (behaviour 5.2). */
export const decidingRules: readonly string[] = ruleKinds
  .filter(({ denials }) => Object.keys(denials).length > 0)
  .map(({ type }) => type);

/** The kinds of rules that operators can add, in the order in which they are offered. */
export const ruleTypes: readonly RuleType[] = ruleKinds
  .filter((kind): kind is RuleType => kind.setup !== undefined)
  .sort((one, other) => (one.setup.place ?? ruleKinds.length) - (other.setup.place ?? ruleKinds.length));

export const isRuleType = (policyType: string): boolean =>
  ruleTypes.some(({ setup }) => setup.policyType === policyType);

/** The kind of a `policyType`. @throws Error if no kind has this type */
export const ruleTypeOf = (policyType: string): RuleType => {
  const kind = ruleTypes.find(({ setup }) => setup.policyType === policyType);
  if (kind === undefined) throw new Error(`No kind of rule is of the type ${policyType}`);
  return kind;
};

const titles = new Map(ruleKinds.map(({ type, title }) => [type, title]));

/** The name of a rule for display and reports. */
export const ruleName = (rule: string): string => titles.get(rule) ?? rule;

export const denialWords = new Map(ruleKinds.flatMap((kind) => Object.entries(kind.denials)));

/** Explains a denial, using the values that were compared. @throws Error if no kind denies with that code */
export const explainDenial = (code: string, evidence: Evidence): Explanation => {
  const words = denialWords.get(code);
  if (words === undefined) throw new Error(`No kind of rule has words for ${code}`);
  return words(evidence);
};
