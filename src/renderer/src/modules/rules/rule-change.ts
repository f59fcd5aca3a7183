import type { Rule } from '../../desk/types.ts';
import type { PolicyChange } from '../policy-trial/policy-change.ts';
import { type BindingInput, typedBinding } from './binding-form.ts';

/** A rule as a form has it. */
interface FormRule {
  readonly paymasterId: string;
  /** The rule that is changed; undefined: a new one. When it binds is changed in a form of its own. */
  readonly rule: Rule | undefined;
  readonly name: string;
  readonly policyType: string;
  readonly policyData: Record<string, unknown>;
  readonly binding: BindingInput;
}

/** The call that adds a rule, or changes what it says. */
export const ruleChange = ({ paymasterId, rule, policyType, policyData, binding, ...form }: FormRule): PolicyChange => {
  const name = form.name.trim();
  if (rule !== undefined) {
    return { name: 'rules.update', input: { paymasterId, ruleId: rule._id, update: { name, policyData } } };
  }
  return {
    name: 'rules.create',
    input: { paymasterId, rule: { name, policyType, policyData, ...typedBinding(binding) } },
  };
};
