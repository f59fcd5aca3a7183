import { expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { PRICED, inUsd, limit, rule } from '../../../test/support/situations.ts';
import type { PolicyRule } from '../policy/policy.ts';
import { attackedPolicy, leavesRulesOut } from './attacked-policy.ts';

const condition = rule('Gold', 'CONDITION', { expression: 'context.tier == "gold"', message: 'Gold only.' });
const holding = rule('Members', 'TOKEN_HOLDING', { standard: 'ERC20', address: `0x${'7e'.repeat(20)}`, minimum: '1' });
const deployments = rule('New', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment' });

test.each<[string, PolicyRule, readonly PolicyRule[], boolean]>([
  ['a limit binds', limit(), [limit()], false],
  ['a condition is met', condition, [], true],
  ['a token is held', holding, [], true],
  ['a limit with a condition is avoided', { ...limit(), when: 'op.deploys' }, [], true],
  ['a limit with an end is waited out', { ...limit(), activeUntil: 5 }, [], true],
  ['a rule in shadow denies nothing', { ...limit(), enforcement: 'shadow' }, [], false],
  ['what allows something always does', { ...deployments, when: 'op.deploys' }, [deployments], false],
  ['a limit in dollars binds', limit(inUsd(5n)), [limit(inUsd(5n))], false],
])('for an attacker, %s', (_, one, left, isLeftOut) => {
  const policy = policyWith({ rules: [one] });
  const price = PRICED.facts?.price;
  expect(attackedPolicy(policy, price).rules).toEqual(left);
  expect(leavesRulesOut(policy, price)).toBe(isLeftOut);
});

test.each([undefined, { usd: null, error: 'it is silent' }])(
  'without a price (%j) the amount of a limit in dollars is unknown: an attacker waits for a price',
  (price) => {
    const policy = policyWith({ rules: [limit(inUsd(5n))] });
    expect(attackedPolicy(policy, price).rules).toEqual([]);
    expect(leavesRulesOut(policy, price)).toBe(true);
  },
);
