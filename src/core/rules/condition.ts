import { z } from 'zod';
import type { DenialRows, Evidence } from '../../shared/denials.ts';
import { type Answer, readCondition } from '../conditions/condition.ts';
import { expression } from '../conditions/expression.ts';
import type { PolicyRule } from '../policy.ts';
import { type CheckResult, type RuleInput, type RuleKind, type Setup, deny, pass, rulesOf, saidBy } from './rule.ts';

const metWords = ({ met }: Evidence): string => (typeof met === 'string' && met !== '' ? ` Here ${met}.` : '');

const denials = {
  CONDITION_NOT_MET: ({ message, ...evidence }) => ({
    message: String(message),
    hint: `The condition "${String(evidence.rule)}" must be true: ${String(evidence.expression)}.${metWords(evidence)}`,
  }),
  CONDITION_FAILED: ({ rule, expression: text, failure }) => ({
    message: `The condition of the rule "${String(rule)}" cannot be evaluated for this operation: ${String(failure)}.`,
    hint: `Send what the condition names, or change it: ${String(text)}.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

interface ConditionData {
  readonly expression: string;
  readonly message: string;
}

const data = z.strictObject({
  expression,
  message: z.string().trim().min(1, 'should not be empty').max(500).describe('What the user is told'),
});

/** What operators set up of conditions. */
const conditionSetup: Setup<ConditionData, ConditionData> = {
  policyType: 'CONDITION',
  anybodyMeets: true,
  place: 5,
  sent: data,
  kept: data,
  keep: (sent) => ({ ...sent }),
  sentence: ({ expression: text, message }) => `Sponsored only if ${text}. Otherwise: "${message}"`,
};

const checkCondition = (
  { name, policyData: { expression: text, message } }: PolicyRule & { readonly policyData: ConditionData },
  values: RuleInput['values'],
): Result => {
  const condition = readCondition(text);
  const answer: Answer = condition.evaluate(values());
  if ('failure' in answer) {
    return deny('CONDITION_FAILED', { rule: name, expression: text, failure: answer.failure });
  }
  const met = condition
    .met(values())
    .map(({ text: path, value }) => `${path} is ${value}`)
    .join(', ');
  const evidence = { rule: name, expression: text, ...(met !== '' && { met }) };
  return answer.holds ? pass('CONDITION_MET', evidence) : deny('CONDITION_NOT_MET', { ...evidence, message });
};

/** Expressions that must be true. Gas and fees may be open in a draft: it is not looked at. */
export const condition: RuleKind<keyof typeof denials> = {
  type: 'condition',
  title: 'Condition',
  denials,
  setup: conditionSetup,
  bindsDrafts: false,
  check: ({ policy, values }) =>
    rulesOf(conditionSetup, policy.rules)
      .filter(({ active }) => active)
      .map((rule) => saidBy(rule, checkCondition(rule, values))),
};
