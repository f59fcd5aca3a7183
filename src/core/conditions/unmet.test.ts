import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inputsOf } from '../../../test/support/situation.ts';
import { ruleInput } from '../decision/rule-input.ts';
import { conditionError, readCondition } from './condition.ts';
import { sized } from '../../../test/support/combinations.ts';

const gas = { callGasLimit: 100n, verificationGasLimit: 80n, preVerificationGas: 50n };
const [facts, policy] = inputsOf({ op: gas, facts: { context: { tier: 'gold' } } });
const values = ruleInput(facts, policy).values();

const unmet = (text: string): string => readCondition(text).unmet(values).text;

test.each([
  [
    'op.callGasLimit - (op.verificationGasLimit - op.preVerificationGas) <= 50 && op.nonce == 0',
    'op.callGasLimit - (op.verificationGasLimit - op.preVerificationGas) <= 50',
  ],
  ['(op.nonce + 1) == (2) && true', '(op.nonce + 1) == (2)'],
  ['(op.nonce == 1 // the first\n) && !op.deploys', 'op.nonce == 1'],
  ['true && (op.deploys || (op.nonce == 1))', '(op.deploys || (op.nonce == 1))'],
  ['(op).nonce == (1 // )\n) && true', '(op).nonce == (1)'],
  ['context.tier == "🎃" && !op.deploys', 'context.tier == "🎃"'],
  [`context.tier == ')"(' && ("(" == context.tier)`, `context.tier == ')"(' && "(" == context.tier`],
  ['op.nonce == 1 // && true', 'op.nonce == 1'],
])('what is not met is quoted as it was written: %s', (text, quoted) => {
  expect(conditionError(text)).toBeUndefined();
  expect(unmet(text)).toBe(quoted);
  expect(readCondition(quoted).evaluate(values)).toEqual({ holds: false });
});

test('the value of a path in parentheses is shown', () => {
  expect(readCondition('(op).nonce == 1 && (context)["tier"] == "a"').unmet(values).met).toEqual([
    { text: 'op.nonce', value: '0' },
    { text: 'context["tier"]', value: 'gold' },
  ]);
});

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('(', ')', '"', "'", '/', '\\\\', '&', '|', '🎃', '\u2028', ' ') }),
);
const number = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n }).map(String), fc.constantFrom('1e21', '1.5e300', '0.0'));
const value = fc.oneof(
  text.map((content) => JSON.stringify(content)),
  number,
  fc.constantFrom(
    'op.nonce',
    'op.callGasLimit',
    'context.tier',
    'context["🎃"]',
    'size(context.tier)',
    "r'\\('",
    'b"("',
  ),
);
const { expression } = fc.letrec<Record<'expression' | 'sum', string>>((tie) => ({
  sum: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    value,
    tie('sum').map((one) => `(${one})`),
    fc.tuple(tie('sum'), fc.constantFrom('+', '-', '*'), tie('sum')).map((parts) => parts.join(' ')),
  ),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(tie('sum'), fc.constantFrom('==', '!=', '<', '>='), tie('sum')).map((parts) => parts.join(' ')),
    fc.constantFrom('op.deploys', 'true', 'false', 'context.tier.contains(")")'),
    tie('expression').map((one) => `!(${one})`),
    tie('expression').map((one) => `((${one}))`),
    tie('expression').map((one) => `[1, 2].all(c, ${one})`),
    fc.tuple(tie('expression'), text).map(([one, said]) => `(${one} // ${said.replace(/[\n\r]/g, '')}\n)`),
    fc.tuple(tie('expression'), fc.constantFrom('&&', '||'), tie('expression')).map((parts) => parts.join(' ')),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([one, yes, no]) => `(${one}) ? ${yes} : ${no}`),
  ),
}));

test('reading never throws, whatever is written, and shows what is false', () => {
  fc.assert(
    fc.property(expression, (written) => {
      if (conditionError(written) !== undefined) return;
      const condition = readCondition(written);
      const answer = condition.evaluate(values);
      condition.met(values);
      condition.readings(values);
      if (!('holds' in answer) || answer.holds) return;
      const text = condition.unmet(values).text;
      expect(text).not.toBe('');
      expect(readCondition(text).evaluate(values)).not.toEqual({ holds: true });
    }),
    { numRuns: sized(2_000, 400) },
  );
});
