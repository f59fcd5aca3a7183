import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyPolicy } from '../../../test/support/policy-arbitrary.ts';
import { policyWith } from '../../../test/support/facts.ts';
import { type PolicyChange, changeBetween, changedPolicy, policyChange } from './policy-change.ts';
import { type Policy, type PolicyRule, policyHash } from './policy.ts';

const revision = (policy: Policy) => ({ hash: policyHash(policy), policy });

const rule = (ruleId: string, threshold = '1'): PolicyRule => ({
  ruleId,
  name: `Limit ${ruleId}`,
  policyType: 'PAYMASTER_SA_LIMIT',
  policyData: { threshold },
  active: true,
  cycle: 0,
});

const between = (before: Policy, after: Policy) => changeBetween(revision(before), revision(after));

const rules = ['a', 'b', 'c'].map((id) => rule(id));
const before = policyWith({ rules });

test('names only the rules that were added, changed or removed, and other fields as a whole', () => {
  const after = policyWith({ rules: [rule('b', '2'), rule('c'), rule('d')], signer: null });
  const change = between(before, after);
  expect(change).toEqual({
    base: policyHash(before),
    fields: { signer: null },
    rules: { removed: ['a'], put: [rule('b', '2'), rule('d')] },
  });
  expect(policyChange.parse(change)).toEqual(change);
});

test('is none where rules were moved: their order may decide which one denies', () => {
  expect(between(before, policyWith({ rules: rules.toReversed() }))).toBeUndefined();
});

test('makes exactly the later policy of the earlier one, whatever both are', () => {
  fc.assert(
    fc.property(anyPolicy, anyPolicy, (one, other) => {
      const later = { ...other, rules: [...one.rules.filter((_, index) => index % 2 === 1), ...other.rules] };
      const read = JSON.parse(JSON.stringify(between(one, later))) as PolicyChange;
      expect(policyHash(changedPolicy(one, read) as Policy)).toBe(policyHash(later));
    }),
  );
});

test.each([null, 'text', [], { rules: null }, { rules: [null, 1] }])('reads a base that is no policy: %j', (base) => {
  const change = { base: '', rules: { removed: ['a'], put: [{ ruleId: 'b' }] } };
  expect(changedPolicy(base, change)).toMatchObject({ rules: expect.arrayContaining([{ ruleId: 'b' }]) });
});
