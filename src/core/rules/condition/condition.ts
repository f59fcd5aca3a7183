import type { DenialRows, Evidence } from '../../../shared/denials.ts';
import { STEPS_USED_UP } from '../../conditions/answers.ts';
import { CALLS_UNREADABLE, NO_CONDITION, TOO_MANY_STEPS, readCondition } from '../../conditions/condition.ts';
import type { NamedValue } from '../../conditions/unmet.ts';
import type { PolicyRule } from '../../policy/policy.ts';
import { evaluateCondition } from './evaluate-condition.ts';
import { type ConditionData, conditionSetup } from './data.ts';
import { type CheckResult, type RuleInput, type RuleType, activeRulesOf, deny, pass, saidBy } from '../rule.ts';

const metWords = ({ met }: Evidence): string => (typeof met === 'string' && met !== '' ? ` Here ${met}.` : '');

const PLAIN_CALLS = 'calls through a plain execute or executeBatch of the account';

/** What helps against a failure, other than a different condition; undefined if nothing does. */
const remedy = ({ failure, missing, priceError, chainId }: Evidence): string | undefined => {
  const text = String(failure);
  if (text.startsWith(NO_CONDITION)) return undefined;
  if (text === STEPS_USED_UP || text === TOO_MANY_STEPS) return 'Send fewer calls in one operation';
  if (priceError !== undefined) {
    const set = `gasdesk chain set ${String(chainId)}`;
    return `There is no usable price of the native coin: ${String(priceError)}. Set one with "${set} --usd AMOUNT" or "${set} --native-feed ADDRESS"`;
  }
  return `Send ${text === CALLS_UNREADABLE ? PLAIN_CALLS : String(missing ?? 'the missing value')}`;
};

const failureHint = (evidence: Evidence): string => {
  const other = `the condition of the rule "${String(evidence.rule)}"`;
  const text = String(evidence.expression);
  const first = remedy(evidence);
  return first === undefined
    ? `Change ${other}: ${text}.`
    : `${first}, or change ${other} so that it does without: ${text}.`;
};

const denials = {
  CONDITION_NOT_MET: ({ message, ...evidence }) => ({
    message: String(message),
    hint: `The condition "${String(evidence.rule)}" must be true: ${String(evidence.unmet ?? evidence.expression)}.${metWords(evidence)}`,
  }),
  CONDITION_FAILED: (evidence) => ({
    message: `The condition of the rule "${String(evidence.rule)}" cannot be evaluated for this operation: ${String(evidence.failure)}.`,
    hint: failureHint(evidence),
  }),
  CONDITION_NOT_READ: ({ rule, expression: text }) => ({
    message: `The condition of the rule "${String(rule)}" needs op.maxCostUsd, and the price of the native coin was not read for this operation.`,
    hint: `Send the operation again: Gasdesk reads the values that the rules in force need. The condition is: ${String(text)}.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

const metEvidence = (met: readonly NamedValue[]): Evidence =>
  met.length === 0 ? {} : { met: met.map(({ text, value }) => `${text} is ${value}`).join(', ') };

const checkCondition = (rule: PolicyRule & { readonly policyData: ConditionData }, input: RuleInput): Result => {
  const {
    name,
    policyData: { expression: text, message },
  } = rule;
  const answer = evaluateCondition(rule, text, input);
  if (!('holds' in answer)) return answer;
  const [condition, values] = [readCondition(text), input.values()];
  // Every record stores this result, so it omits the expression. The policy that the record names contains the
  // expression.
  if (answer.holds) return pass('CONDITION_MET', { rule: name, ...metEvidence(condition.met(values)) });
  const { text: unmet, met } = condition.unmet(values);
  const part = { ...(unmet !== text && { unmet }), ...metEvidence(met) };
  return deny('CONDITION_NOT_MET', { rule: name, expression: text, ...part, message });
};

/**
 * Expressions that must be true for an operation. Drafts are not checked, because their gas and fees may still be
 * missing.
 */
export const condition: RuleType<keyof typeof denials> = {
  type: 'condition',
  title: 'Condition',
  denials,
  setup: conditionSetup,
  bindsDrafts: false,
  check: (input) =>
    activeRulesOf(conditionSetup, input.policy.rules).map((rule) => saidBy(rule, checkCondition(rule, input))),
};
