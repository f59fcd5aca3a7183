import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { ANN, BOB, decisionsOf } from '../../../test/support/sent-decisions.ts';
import { COST, HOUR_MS, PERSON, inWei, items, limit, people, rule } from '../../../test/support/situations.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { pastDecision } from '../decision/past-decision.ts';
import { draftPolicy } from '../policy-file/draft-policy.ts';
import { parsePolicyFile } from '../policy-file/parse-file.ts';
import type { Policy } from '../policy/policy.ts';
import { PolicyTrial } from '../trial/try-policy.ts';
import { PolicyNarrowing } from './narrow-policy.ts';
import { narrowedFile } from './narrowed-file.ts';

/** The keyed hash of another person. */
const OTHER = 'be'.repeat(32);
const both = items({ whitelistedMethods: ['mint(uint256)', 'burn(uint256)'] });
const unused = items({ ruleId: 'rule-2', name: 'Old shop: {', address: `0x${'18'.repeat(20)}` });

/** @param recorded the policy that decided */
const narrow = (policy: Policy, records: readonly DecisionRecord[], recorded = policy) => {
  const narrowing = new PolicyNarrowing(policy);
  for (const record of records) narrowing.add(pastDecision(record, recorded));
  return narrowing.narrowed();
};

describe('a policy is narrowed to what was sponsored:', () => {
  test('methods and contracts that were never called are removed, and the file says how the others were used', () => {
    const policy = policyWith({ contracts: [both, unused] });
    const narrowed = narrow(policy, decisionsOf(policy, [{}, { sender: BOB }]));
    expect(narrowed.policy.contracts.map(({ name, whitelistedMethods }) => [name, whitelistedMethods])).toEqual([
      ['Items', ['mint(uint256)']],
    ]);
    const text = narrowedFile(narrowed, 'Tried.');
    expect(text).toContain('# mint(uint256) was called 2 times, last on ');
    expect(text).toContain('never called: burn(uint256)');
    expect(text).toContain(`# Removed: Old shop: { (0x${'18'.repeat(20)}) was never called.`);
    expect(text).toContain('# Tried.');
    expect(draftPolicy(parsePolicyFile(text), policy)).toEqual(narrowed.policy);
  });

  test('the last contract stays, with no method, since a policy without contracts sponsors every call', () => {
    const policy = policyWith({ contracts: [items({ address: `0x${'18'.repeat(20)}` })] });
    const open = policyWith({ contracts: [] });
    const [contract, ...others] = narrow(policy, decisionsOf(open, [{}]), open).policy.contracts;
    expect([contract?.whitelistedMethods, others]).toEqual([[], []]);
  });

  test('a contract without sponsored methods gets no comment', () => {
    const policy = policyWith({ contracts: [items({ whitelistedMethods: [] })] });
    const open = policyWith({ contracts: [] });
    expect(narrowedFile(narrow(policy, decisionsOf(open, [{}]), open))).not.toMatch(/^ *#$/m);
  });

  test('a limit far above what was reached is lowered to it, in operations and in coins', () => {
    const limits = [limit({ threshold: '50' }, 'Many'), limit(inWei(100n * COST), 'Much'), limit({ threshold: '4' })];
    const policy = policyWith({ contracts: [both], rules: limits });
    const { policy: after, notes } = narrow(policy, decisionsOf(policy, [{}, {}, {}]));
    const thresholds = after.rules.map(({ policyData }) => (policyData as { threshold: string }).threshold);
    expect(thresholds).toEqual(['3', weiToDecimal(940_000_000_000_000n), '4']);
    expect(notes.get('Many')).toBe('was 50; at most 3 of it was reached');
    expect(notes.get('Five a day')).toBe('at most 3 of it was reached');
  });

  test('a limit per person is lowered to what one person reached over all of their accounts', () => {
    const many = limit({ threshold: '50', type: 'SUBJECT' }, 'Many');
    const sent = [{ sender: ANN }, { sender: BOB }, { sender: ANN, person: OTHER }];
    const before = policyWith({ contracts: [both], rules: [people()] });
    const policy = policyWith({ contracts: [both], rules: [people(), many] });
    for (const recorded of [policy, before]) {
      const { notes } = narrow(policy, decisionsOf(recorded, sent), recorded);
      expect(notes.get('Many')).toBe('was 50; at most 2 of it was reached');
    }
  });

  test('accounts on an allow list that were never sponsored are removed', () => {
    const list = rule('Friends', 'SENDERS', { mode: 'ALLOW', addresses: [ANN, BOB] });
    const blocked = rule('Foes', 'SENDERS', { mode: 'DENY', addresses: [`0x${'c3'.repeat(20)}`] });
    const policy = policyWith({ contracts: [both], rules: [list, blocked] });
    const { policy: after } = narrow(policy, decisionsOf(policy, [{ sender: BOB }]));
    expect(after.rules).toEqual([{ ...list, policyData: { mode: 'ALLOW', addresses: [BOB] } }, blocked]);
  });

  test('what was denied shows no need, and without sponsored operations nothing changes', () => {
    const policy = policyWith({ contracts: [items(), unused], rules: [limit({ threshold: '50' })] });
    const narrowed = narrow(policy, decisionsOf(policy, [{ method: 'burn' }]));
    expect([narrowed.policy, narrowed.decisions, narrowed.sponsored]).toEqual([policy, 1, 0]);
  });

  test('paused contracts and rules stay as they are', () => {
    const paused = { ...limit({ threshold: '50' }), active: false };
    const policy = policyWith({ contracts: [both, { ...unused, active: false }], rules: [paused] });
    const { policy: after } = narrow(policy, decisionsOf(policy, [{}]));
    expect(after.contracts.map(({ ruleId }) => ruleId)).toEqual(['rule-1', 'rule-2']);
    expect(after.rules).toEqual([paused]);
  });
});

test('a narrowed policy sponsors everything that was sponsored, whatever that was', () => {
  const sent = fc.record({
    method: fc.constantFrom('mint' as const, 'burn' as const),
    sender: fc.constantFrom(ANN, BOB),
    person: fc.constantFrom(PERSON, OTHER),
    after: fc.nat(30 * HOUR_MS),
  });
  const threshold = fc.integer({ min: 1, max: 30 }).map(String);
  fc.assert(
    fc.property(
      fc.array(sent, { maxLength: 12 }).map((all) => all.toSorted((one, other) => one.after - other.after)),
      threshold,
      fc.constantFrom('PAYMASTER' as const, 'SMART_ACCOUNT' as const, 'SUBJECT' as const),
      (all, count, type) => {
        const list = rule('Friends', 'SENDERS', { mode: 'ALLOW', addresses: [ANN] });
        const rules = [limit({ threshold: count, type }), limit({ ...inWei(20n * COST), type }, 'Much')];
        const policy = policyWith({ contracts: [both, unused], rules: [people(), ...rules, list] });
        const records = decisionsOf(policy, all);
        const file = parsePolicyFile(narrowedFile(narrow(policy, records)));
        const trial = new PolicyTrial((now) => draftPolicy(file, policy, { now, newId: (name) => name }));
        for (const record of records) trial.add(pastDecision(record, policy));
        expect(trial.report()).toMatchObject({ nowDenied: 0, nowSponsored: 0, unknown: 0 });
      },
    ),
  );
});
