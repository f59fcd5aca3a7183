import { isSame } from '../../../../core/json/same-json.ts';
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
  /** The data that is stored. The same data is not sent again, because that restarts what the rule counts. */
  readonly stored: Record<string, unknown> | undefined;
  readonly binding: BindingInput;
}

export const ruleChange = (form: FormRule): PolicyChange => {
  const { paymasterId, rule, policyType, policyData, stored, binding } = form;
  const name = form.name.trim();
  if (rule !== undefined) {
    const update = isSame(stored, policyData) ? { name } : { name, policyData };
    return { name: 'rules.update', input: { paymasterId, ruleId: rule._id, update } };
  }
  return {
    name: 'rules.create',
    input: { paymasterId, rule: { name, policyType, policyData, ...typedBinding(binding) } },
  };
};
