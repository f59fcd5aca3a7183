import { expect, test } from 'vitest';
import { inputsOf } from '../../../test/support/situation.ts';
import { limit, rule } from '../../../test/support/situations.ts';
import type { PolicyRule } from '../policy/policy.ts';
import { needsPrice } from './needs-price.ts';

const condition = (expression: string, active = true): PolicyRule =>
  rule('Cheap', 'CONDITION', { expression, message: 'No.' }, active);

const needed = (...rules: PolicyRule[]): boolean => needsPrice(inputsOf({ policy: { rules } })[1]);

test.each([
  'op.maxCostUsd < 1.0',
  'op.nonce == 0 || !(op["maxCostUsd"] >= 1.0)',
  'has(op.maxCostUsd)',
  '[op].exists(o, o.maxCostUsd < 1.0)',
])('the price is asked for by %s', (expression) => {
  expect(needed(condition('true'), condition(expression))).toBe(true);
  expect(needed({ ...limit(), when: expression })).toBe(true);
  expect(needed(condition(expression, false), { ...limit(), when: expression, active: false })).toBe(false);
});

test.each(['op.maxCostWei < 1', 'true // op.maxCostUsd', 'op.nonce =='])('not by %s', (expression) => {
  expect(needed(condition(expression), { ...limit(), when: expression })).toBe(false);
});
