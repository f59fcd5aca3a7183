import { describe, expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { ANN, BOB, type Sent, decisionsOf } from '../../../test/support/sent-decisions.ts';
import { FACTORY, HOUR_MS, NOW, items, limit, people, rule } from '../../../test/support/situations.ts';
import { pastDecision } from '../decision/past-decision.ts';
import type { Policy } from '../policy/policy.ts';
import { RuleUse } from './rule-use.ts';

/** Hours after the first decision at which each rule was last used, by its id; null: not at all. */
const lastUses = (policy: Policy, sent: readonly Sent[]) => {
  const use = new RuleUse();
  for (const record of decisionsOf(policy, sent)) use.add(pastDecision(record, policy));
  const hour = (at: number | null): number | null => at && (at - NOW) / HOUR_MS;
  return Object.fromEntries(use.lastUses().map(({ ruleId, lastAt }) => [ruleId, hour(lastAt)]));
};

const at = (hours: number, sent: Sent = {}): Sent => ({ ...sent, after: hours * HOUR_MS });
const { ruleId: shop } = items();

describe('a rule was last used', () => {
  test('when a contract was called by a sponsored operation, not by one that another rule denied', () => {
    const policy = policyWith({
      contracts: [items(), items({ ruleId: 'other', address: `0x${'18'.repeat(20)}` })],
      rules: [rule('Ann only', 'SENDERS', { mode: 'ALLOW', addresses: [ANN] })],
    });
    const sent = [at(0, { sender: ANN }), at(1, { sender: ANN }), at(2, { sender: BOB })];
    expect(lastUses(policy, sent)).toEqual({ [shop]: 1, other: null, 'Ann only': 2 });
  });

  test('when an operation counted in a limit, or the limit denied one', () => {
    const policy = policyWith({ contracts: [items()], rules: [limit({ threshold: '2' }, 'Two a day')] });
    expect(lastUses(policy, [at(0), at(1), at(2), at(3)])).toEqual({ [shop]: 1, 'Two a day': 3 });
  });

  test('when its condition and its time let it apply', () => {
    const rules = [
      { ...limit({ threshold: '9' }, 'Burns'), when: "calls[0].method == 'burn'" },
      { ...limit({ threshold: '9' }, 'First hour'), activeUntil: NOW + HOUR_MS },
      { ...limit({ threshold: '9' }, 'Paused'), active: false },
    ];
    const contracts = [items({ whitelistedMethods: ['mint(uint256)', 'burn(uint256)'] })];
    const sent = [at(0), at(1, { method: 'burn' }), at(2)];
    expect(lastUses(policyWith({ contracts, rules }), sent)).toMatchObject({ Burns: 1, 'First hour': 0, Paused: null });
  });

  test('when an operation created an account, for a rule that sponsors deployments', () => {
    const policy = policyWith({ rules: [rule('Deployments', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment' })] });
    const created = at(1, { initCode: FACTORY });
    expect(lastUses(policy, [at(0), at(2)])).toEqual({ Deployments: null });
    expect(lastUses(policy, [at(0), created, at(2)])).toEqual({ Deployments: 1 });
  });

  test('when a person counted in their limit', () => {
    const many = limit({ threshold: '50', type: 'SUBJECT' }, 'Many');
    const policy = policyWith({ contracts: [items()], rules: [people(), many] });
    expect(lastUses(policy, [at(0), at(1)])).toMatchObject({ Many: 1 });
  });
});

test('a rule that no decision has known is not named, and a later one since its first decision', () => {
  const use = new RuleUse();
  const before = policyWith({ contracts: [items()] });
  const after = policyWith({ contracts: [items()], rules: [{ ...limit(), when: "calls[0].method == 'burn'" }] });
  const [first, second] = decisionsOf(after, [at(0), at(1)]);
  use.add(pastDecision(first!, before));
  expect(use.lastUses().map(({ ruleId }) => ruleId)).toEqual([shop]);
  use.add(pastDecision(second!, after));
  expect(use.lastUses()).toContainEqual({ ruleId: limit().ruleId, lastAt: null, knownSince: NOW + HOUR_MS });
});
