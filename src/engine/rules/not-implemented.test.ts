import { expect, test } from 'vitest';
import { notImplementedRule } from './not-implemented.ts';

test('nothing is in the way where no rule waits to be enforced', () => {
  expect(notImplementedRule.check([], null)).toEqual({ outcome: 'pass', code: 'ALL_RULES_ENFORCED', evidence: {} });
});

test('a rule that would not be enforced is not passed over, and the operator learns which and how many', () => {
  const active = [
    { name: 'Five a day', type: 'PAYMASTER_SA_LIMIT' },
    { name: 'Ask us', type: 'WEBHOOK' },
  ];
  expect(notImplementedRule.check(active, null)).toEqual({
    outcome: 'deny',
    code: 'RULE_NOT_IMPLEMENTED',
    evidence: { name: 'Five a day', type: 'PAYMASTER_SA_LIMIT', rules: 2 },
  });
});
