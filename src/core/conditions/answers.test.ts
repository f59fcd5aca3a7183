import { describe, expect, test } from 'vitest';
import { encodeFunction } from '../../../test/support/account-call-data.ts';
import { type Done, type Situation, decided, inputsOf, together } from '../../../test/support/situation.ts';
import { ITEMS, call, items, rule } from '../../../test/support/situations.ts';
import { decide } from '../decision/decide.ts';
import type { PolicyRule } from '../policy/policy.ts';
import { ruleInput } from '../decision/rule-input.ts';
import { MAX_STEPS_OF_DECISION, STEPS_USED_UP } from './answers.ts';
import { readCondition } from './condition.ts';

const callsOf = (count: number): Situation => {
  const each = <Item>(item: Item): Item[] => Array.from({ length: count }, () => item);
  const parts = [each(ITEMS), each(0n), each(call('mint'))];
  return {
    op: {
      callData: encodeFunction(
        'executeBatch(address[],uint256[],bytes[])',
        ['address[]', 'uint256[]', 'bytes[]'],
        parts,
      ),
    },
  };
};

const batch = together({ policy: { contracts: [items()] } }, callsOf(30));

/** Each index gives a different text, because equal texts are evaluated only once. */
const nested = (index: number): string => `calls.all(c, calls.all(e, c.value < ${index + 1}))`;

const conditions = (count: number, text: (index: number) => string, more: Partial<PolicyRule> = {}): PolicyRule[] =>
  Array.from({ length: count }, (_, index) => ({
    ...rule(`r${index}`, 'CONDITION', { expression: text(index), message: 'No.' }),
    name: `Rule ${index}`,
    ...more,
  }));

const under = (rules: readonly PolicyRule[]): Situation => together(batch, { policy: { rules: [...rules] } });

const stepsOf = ({ steps }: Done) => steps.filter(({ rule: kind }) => kind === 'condition');

/** Upper bound of the steps that the evaluated conditions can have taken. */
const taken = (situation: Situation): number => {
  const [facts, policy] = inputsOf(situation);
  const values = ruleInput(facts, policy).values();
  return stepsOf(decided(situation)).reduce((sum, { code }, index) => {
    const steps = readCondition(nested(index)).steps(values);
    return code === 'CONDITION_MET' ? sum + steps : sum;
  }, 0);
};

describe('the conditions of a decision together', () => {
  test('take bounded steps, however many there are: what is beyond denies and says so', () => {
    const situation = under(conditions(1_000, nested));
    const done = decided(situation);
    expect(stepsOf(done)).toHaveLength(1_000);
    expect(done.reason).toMatchObject({
      code: 'CONDITION_FAILED',
      rule: 'condition',
      message: expect.stringContaining(STEPS_USED_UP),
      hint: expect.stringMatching(/^Send fewer calls in one operation, or change the condition/),
    });
    expect(taken(situation)).toBeGreaterThan(MAX_STEPS_OF_DECISION / 2);
    expect(taken(situation)).toBeLessThanOrEqual(MAX_STEPS_OF_DECISION);
  });

  test('come to the same each time the decision is made', () => {
    const inputs = inputsOf(under(conditions(100, nested)));
    const again = inputsOf(under(conditions(100, nested)));
    expect(decide(...inputs)).toEqual(decide(...inputs));
    expect(decide(...again)).toEqual(decide(...inputs));
  });

  test('count those that say when rules apply', () => {
    const rules = conditions(1_000, () => 'true').map((one, index) => ({ ...one, when: nested(index) }));
    expect(decided(under(rules)).reason).toMatchObject({ code: 'CONDITION_FAILED' });
  });

  test('count a text once', () => {
    expect(decided(under(conditions(1_000, () => nested(0)))).reason).toBeUndefined();
  });

  test('leave those in force what those in shadow take', () => {
    const shadow = conditions(1_000, nested, { enforcement: 'shadow' });
    const inForce = conditions(1, () => nested(2_000)).map((one) => ({ ...one, ruleId: 'last', name: 'Last' }));
    const done = decided(under([...shadow, ...inForce]));
    expect(done.reason).toBeUndefined();
    expect(stepsOf(done).filter(({ outcome }) => outcome === 'wouldDeny').length).toBeGreaterThan(0);
  });

  test('leave room for a thousand rules that look at each call of a usual operation', () => {
    const rules = conditions(1_000, (index) => `op.nonce < ${1_000 + index} && calls.all(c, c.value == 0)`);
    expect(decided(together(under(rules), callsOf(2))).reason).toBeUndefined();
  });
});
