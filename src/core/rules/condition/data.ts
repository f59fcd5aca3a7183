import { z } from 'zod';
import { WELL_FORMED_ERROR, isWellFormed } from '../../../shared/schema/text.ts';
import { readCondition } from '../../conditions/condition.ts';
import { expression } from '../../conditions/expression.ts';
import type { Setup } from '../rule.ts';

export interface ConditionData {
  readonly expression: string;
  readonly message: string;
}

const data = z.strictObject({
  expression,
  message: z
    .string()
    .trim()
    .min(1, 'should not be empty')
    .max(500)
    .refine(isWellFormed, WELL_FORMED_ERROR)
    .describe('The message of the denial'),
});

/**
 * Stored expressions are not validated again: a newer Gasdesk may refuse what an older one stored. The decision then
 * reports what is wrong with the expression.
 */
const stored = z.strictObject({
  expression: z.string().describe('The condition in CEL, as it was stored'),
  message: z.string().describe('The message of the denial'),
});

export const conditionSetup: Setup<ConditionData, ConditionData> = {
  policyType: 'CONDITION',
  anybodyMeets: true,
  place: 5,
  sent: data,
  stored,
  needsPrice: ({ expression: text }) => readCondition(text).needsPrice,
  keep: (sent) => ({ ...sent }),
  sentence: ({ expression: text, message }) => `Sponsored only if ${text}. Otherwise: "${message}"`,
  withoutRules: () => 'No condition.',
  form: {
    opens: 'Add condition',
    title: 'Add a condition',
    noun: 'condition',
    example: 'Small mints',
    fields: () => ({
      expression: {
        label: 'Must be true (CEL)',
        kind: 'expression',
        default: '',
        example: 'calls.all(c, c.args.amount <= 10)',
      },
      message: { label: 'Message to a denied user', kind: 'text', default: '', example: 'At most 10 at once.' },
    }),
  },
};
