import { z } from 'zod';
import type { DenialRows, Evidence } from '../../shared/denials.ts';
import { type Answer, CALLS_UNREADABLE, failureEvidence, readCondition } from '../conditions/condition.ts';
import type { NamedValue } from '../conditions/unmet.ts';
import { expression } from '../conditions/expression.ts';
import type { PolicyRule } from '../policy.ts';
import { type CheckResult, type RuleInput, type RuleKind, type Setup, deny, pass, rulesOf, saidBy } from './rule.ts';

const metWords = ({ met }: Evidence): string => (typeof met === 'string' && met !== '' ? ` Here ${met}.` : '');

const PLAIN_CALLS = 'calls through a plain execute or executeBatch of the account';

const denials = {
  CONDITION_NOT_MET: ({ message, ...evidence }) => ({
    message: String(message),
    hint: `The condition "${String(evidence.rule)}" must be true: ${String(evidence.unmet ?? evidence.expression)}.${metWords(evidence)}`,
  }),
  CONDITION_FAILED: ({ rule, expression: text, failure, missing }) => ({
    message: `The condition of the rule "${String(rule)}" cannot be evaluated for this operation: ${String(failure)}.`,
    hint:
      `Send ${failure === CALLS_UNREADABLE ? PLAIN_CALLS : String(missing ?? 'what it can be evaluated with')}, ` +
      `or change the condition of the rule "${String(rule)}" so that it does without: ${String(text)}.`,
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

const metEvidence = (met: readonly NamedValue[]): Evidence =>
  met.length === 0 ? {} : { met: met.map(({ text, value }) => `${text} is ${value}`).join(', ') };

const checkCondition = (
  { name, policyData: { expression: text, message } }: PolicyRule & { readonly policyData: ConditionData },
  values: RuleInput['values'],
): Result => {
  const condition = readCondition(text);
  const answer: Answer = condition.evaluate(values());
  if ('failure' in answer) return deny('CONDITION_FAILED', failureEvidence(name, text, answer.failure, values()));
  // Every record of an operation holds this: what the expression is stands in the policy that the record names.
  if (answer.holds) return pass('CONDITION_MET', { rule: name, ...metEvidence(condition.met(values())) });
  const { text: unmet, met } = condition.unmet(values());
  const part = { ...(unmet !== text && { unmet }), ...metEvidence(met) };
  return deny('CONDITION_NOT_MET', { rule: name, expression: text, ...part, message });
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
