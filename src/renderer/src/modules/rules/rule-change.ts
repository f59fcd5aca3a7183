import type { Rule } from '../../desk/types.ts';
import type { PolicyChange } from '../policy-trial/policy-change.ts';
import { type BindingInput, typedBinding } from './binding-form.ts';

interface FormRule {
  readonly paymasterId: string;
  /** The rule to change; undefined for a new one. Its schedule is changed in another form. */
  readonly rule: Rule | undefined;
  readonly name: string;
  readonly policyType: string;
  readonly policyData: Record<string, unknown>;
  readonly binding: BindingInput;
}

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
