import type { Field, TemplateRule } from './template.ts';

/** The currency of all amounts in a template. */
export const currency: Field = {
  label: 'Amounts in',
  kind: 'choice',
  default: 'USD',
  options: { USD: 'US dollars', NATIVE_ASSET: 'native coin' },
};

/** A lifetime limit. @param threshold decimal digits, in the unit of the measure: COUNT, NATIVE_ASSET or USD */
export const lifetimeLimit = (
  type: 'PAYMASTER' | 'SMART_ACCOUNT',
  thresholdType: string,
  threshold: string,
): Pick<TemplateRule, 'type' | 'data'> => ({
  type: 'PAYMASTER_SA_LIMIT',
  data: { type, cycleDuration: { value: 1, unit: 'lifetime' }, threshold, thresholdType },
});

/** A limit on the cost of each operation. */
export const operationLimit = (thresholdType: string, threshold: string): Pick<TemplateRule, 'type' | 'data'> => ({
  type: 'PAYMASTER_SA_LIMIT',
  data: { type: 'OPERATION', threshold, thresholdType },
});

/** Why a limit per user does not bound the total cost. */
export const FREE_ACCOUNTS =
  'Accounts are free: an attacker with the API key makes new ones, and each gets all that a user may have. Only the budget limits their cost.';
