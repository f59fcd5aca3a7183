import { describe, expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { type TestOperation, decisionsOf } from '../../../test/support/past-decisions.ts';
import {
  COST,
  EACH,
  HOUR_MS,
  NOW,
  hook,
  inUsd,
  inWei,
  items,
  limit,
  responseWith,
  rule,
} from '../../../test/support/situations.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Facts } from '../facts/facts.ts';
import { pastDecision } from '../decision/past-decision.ts';
import { draftPolicy } from '../policy-file/draft-policy.ts';
import { parsePolicyFile } from '../policy-file/parse-file.ts';
import { policyFileText } from '../policy-file/write-file.ts';
import type { Policy } from '../policy/policy.ts';
import type { Assumptions } from './assumptions.ts';
import { decideUnderDraft } from './decide-under-draft.ts';
import type { DraftAt } from './draft-beside.ts';
import { type TrialReport, PolicyTrial } from './try-policy.ts';

const OTHER: Address = `0x${'b2'.repeat(20)}`;

const draftIn =
  (text: string, current: Policy): DraftAt =>
  (now) =>
    draftPolicy(parsePolicyFile(text), current, { now, newId: (name) => `new:${name}` });

/** Tries the records, each with the policy that it was decided by, under a draft. */
const tried = (
  records: readonly DecisionRecord[],
  recorded: Policy,
  draft: Policy,
  current = recorded,
): TrialReport => {
  const trial = new PolicyTrial(draftIn(policyFileText(draft), current));
  for (const record of records) trial.add(pastDecision(record, recorded));
  return trial.report();
};

const times = (count: number, asked: TestOperation = {}): TestOperation[] => Array.from({ length: count }, () => asked);
const limited = (threshold: string) => policyWith({ contracts: [items()], rules: [limit({ threshold })] });
const bothMethods = items({ whitelistedMethods: ['mint(uint256)', 'burn(uint256)'] });
const needing = (address: string, minimum: string) => ({ standard: 'ERC20', address, minimum });
const nothing = { nowSponsored: 0, nowDenied: 0, unknown: 0, flips: [], byRule: {} };

describe('past decisions are decided again under a draft:', () => {
  test('a limit that is lowered denies what was above it, of whom, and saves what it cost', () => {
    const settled = { settlement: 'settled', actualCostWei: '1000' } as const;
    const records = decisionsOf(limited('5'), [...times(3, { settled }), { sender: OTHER }, ...times(2)]);
    expect(tried(records, limited('5'), limited('2'))).toEqual({
      decisions: 6,
      same: 3,
      nowSponsored: 0,
      nowDenied: 3,
      unknown: 0,
      unknownBy: {},
      costWei: { before: String(3000n + 2n * COST), after: '2000' },
      senders: { nowSponsored: 0, nowDenied: 2 },
      byRule: { spendingLimit: { nowSponsored: 0, nowDenied: 3 } },
      flips: ['d-2', 'd-3', 'd-4'].map((id) => ({
        id,
        from: 'sponsored',
        to: 'denied',
        code: 'LIMIT_REACHED',
        rule: 'spendingLimit',
      })),
    });
  });

  test('a method that is added is sponsored, as far as the limit then has room', () => {
    const records = decisionsOf(limited('2'), [{ method: 'burn' }, ...times(2)]);
    const draft = { ...limited('2'), contracts: [bothMethods] };
    expect(tried(records, limited('2'), draft)).toMatchObject({
      same: 1,
      nowSponsored: 1,
      nowDenied: 1,
      senders: { nowSponsored: 1, nowDenied: 1 },
      costWei: { before: String(2n * COST), after: String(2n * COST) },
      flips: [
        { id: 'd-0', from: 'denied', to: 'sponsored', code: 'METHOD_NOT_WHITELISTED', rule: 'contracts' },
        { id: 'd-2', from: 'sponsored', to: 'denied', code: 'LIMIT_REACHED', rule: 'spendingLimit' },
      ],
    });
  });

  test('a token that was read decides again, and one that was not makes the decision unknown unless another rule denies it', () => {
    const token = `0x${'7e'.repeat(20)}` as const;
    const members = rule('Members', 'TOKEN_HOLDING', needing(token, '10'));
    const raised = { ...members, policyData: needing(token, '11') };
    const before = policyWith({ contracts: [items()], rules: [members] });
    const read = (held: string): TestOperation => ({ holdings: { [`ERC20:${token}`]: { held } } });
    const records = decisionsOf(before, [read('10'), read('9'), read('11'), { ...read('11'), method: 'burn' }]);
    expect(tried(records, before, before)).toMatchObject({ same: 4, ...nothing });
    expect(tried(records, before, { ...before, rules: [raised] })).toMatchObject({
      same: 3,
      nowDenied: 1,
      flips: [{ id: 'd-0', to: 'denied', code: 'TOKEN_HOLDING_TOO_LOW', rule: 'tokenHolding' }],
    });
    const others = rule('Others', 'TOKEN_HOLDING', needing(`0x${'7f'.repeat(20)}`, '1'));
    const unread = tried(records, before, { ...before, rules: [members, others] });
    expect(unread).toMatchObject({ ...nothing, decisions: 4, same: 2, unknown: 2, unknownBy: { token: 2 } });
  });

  test('windows of a new limit begin with the first decision, and roll', () => {
    const before = policyWith();
    const records = decisionsOf(
      before,
      [0, 1, 59, 60, 61].map((minutes) => ({ after: minutes * 60_000 })),
    );
    const hourly = limit({ threshold: '1', durationInMs: HOUR_MS, cycleDuration: { value: 1, unit: 'hour' } });
    const { flips } = tried(records, before, policyWith({ rules: [hourly] }));
    expect(flips.map(({ id }) => id)).toEqual(['d-1', 'd-2', 'd-4']);
  });

  test('a limit that was set meanwhile applies to earlier decisions, in windows of its own', () => {
    const before = policyWith();
    const hourly = limit({
      threshold: '1',
      durationInMs: HOUR_MS,
      cycleDuration: { value: 1, unit: 'hour' },
      startTimeInEpoch: NOW + 2 * HOUR_MS,
    });
    const now = policyWith({ rules: [hourly] });
    const early = decisionsOf(
      before,
      [30, 50, 70, 119].map((minutes) => ({ after: minutes * 60_000 })),
    );
    const late = decisionsOf(
      now,
      [120, 130].map((minutes) => ({ after: minutes * 60_000 })),
    );
    const trial = new PolicyTrial(draftIn(policyFileText(now), now));
    for (const record of early) trial.add(pastDecision({ ...record, id: `early ${record.id}` }, before));
    for (const record of late) trial.add(pastDecision(record, now));
    expect(trial.report().flips.map(({ id }) => id)).toEqual(['early d-1', 'early d-3']);
  });

  test('what a limit held before the first decision counts on', () => {
    const records = decisionsOf(limited('5'), times(7)).slice(3);
    expect(tried(records, limited('5'), limited('5'))).toMatchObject({ decisions: 4, same: 4, ...nothing });
    expect(tried(records, limited('5'), policyWith())).toMatchObject({ same: 2, nowSponsored: 2 });
  });

  test('what a limit held before it was paused counts on', () => {
    const active = limited('3');
    const paused = { ...active, rules: active.rules.map((one) => ({ ...one, active: false })) };
    const trial = new PolicyTrial(draftIn(policyFileText(active), active));
    for (const record of decisionsOf(active, times(2))) trial.add(pastDecision(record, active));
    for (const record of decisionsOf(paused, times(2)))
      trial.add(pastDecision({ ...record, id: `paused ${record.id}` }, paused));
    expect(trial.report()).toMatchObject({ same: 3, flips: [{ id: 'paused d-1', code: 'LIMIT_REACHED' }] });
  });

  test('an operation that is denied leaves room in a limit that stays', () => {
    const both = { ...limited('2'), contracts: [bothMethods] };
    const records = decisionsOf(both, [{ method: 'burn' }, ...times(2)]);
    const flips = tried(records, both, limited('2')).flips.map(({ id, to }) => [id, to]);
    expect(flips).toEqual([
      ['d-0', 'denied'],
      ['d-2', 'sponsored'],
    ]);
  });

  test('a denied operation leaves room in the gas tank, next to the reservations of others', () => {
    const both = policyWith({ contracts: [bothMethods] });
    const balanceWei = 3n * COST;
    // The first decision belongs to another user, so its record is left out.
    const records = decisionsOf(
      both,
      [{}, { method: 'burn' as const }, {}, {}].map((one) => ({ ...one, balanceWei })),
    ).slice(1);
    expect(records.map(({ code }) => code)).toEqual(['SPONSORED', 'SPONSORED', 'GAS_TANK_EMPTY']);
    const { flips } = tried(records, both, policyWith({ contracts: [items()] }));
    expect(flips.map(({ id, code }) => [id, code])).toEqual([
      ['d-1', 'METHOD_NOT_WHITELISTED'],
      ['d-3', 'GAS_TANK_EMPTY'],
    ]);
    const denied = tried(records, both, policyWith({ contracts: [items({ whitelistedMethods: [] })] }));
    expect(denied).toMatchObject({ same: 1, nowDenied: 2, nowSponsored: 0 });
  });

  test('a limit in coins keeps what settlement found', () => {
    const settled = { settlement: 'settled', actualCostWei: String(COST / 4n) } as const;
    const records = decisionsOf(policyWith(), times(6, { settled }));
    const draft = policyWith({ rules: [limit(inWei(2n * COST))] });
    // An operation at its maximum cost fits in addition to four that have cost a quarter each.
    expect(tried(records, policyWith(), draft).flips.map(({ id }) => id)).toEqual(['d-5']);
  });

  test('what was released costs nothing, and nothing what it held', () => {
    const settled = { settlement: 'released', actualCostWei: null } as const;
    const records = decisionsOf(policyWith(), times(3, { settled }));
    expect(tried(records, policyWith(), limited('1'))).toMatchObject({ same: 3, costWei: { before: '0', after: '0' } });
  });
});

test('a flip is decided once more as the trial has decided it, step by step', () => {
  const records = decisionsOf(limited('5'), times(4));
  const draftAt = draftIn(policyFileText(limited('2')), limited('5'));
  const trial = new PolicyTrial(draftAt);
  const outcomes = records.map((record) => trial.add(pastDecision(record, limited('5'))));
  expect(outcomes.map((one) => one?.after)).toEqual(['sponsored', 'sponsored', 'denied', 'denied']);
  const [{ held } = { held: [] }] = trial.flips;
  expect(trial.flips[0]).toMatchObject({ id: 'd-2', at: NOW, sender: records[2]!.sender });
  const again = decideUnderDraft(pastDecision(records[2]!, limited('5')), { draftAt, from: NOW, held });
  expect(again).toMatchObject({ outcome: 'denied', reason: { code: 'LIMIT_REACHED', rule: 'spendingLimit' } });
  const step = again!.steps.find(({ rule }) => rule === 'spendingLimit');
  expect(step).toMatchObject({ outcome: 'deny', evidence: { threshold: '2', used: '2' } });
});

test('a request for a longer expiry than the draft allows would have been refused', () => {
  const before = policyWith();
  const records = decisionsOf(before, times(1));
  const shorter = { ...before, dapp: { ...before.dapp, maxExpirySeconds: 300 } };
  const asked = records.map((record) => ({ ...record, facts: { ...(record.facts as object), expiryDuration: 301 } }));
  expect(tried(records, before, shorter)).toMatchObject({ same: 1, flips: [] });
  expect(tried(asked, before, shorter).flips).toMatchObject([{ code: 'VALIDATION', rule: 'maxExpiry' }]);
});

describe('webhooks:', () => {
  const verified = responseWith();
  const refused = responseWith({}, { response: '{"arePoliciesVerified": false}' });
  const asking = policyWith({ webhooks: [hook] });

  test('what they answered counts again', () => {
    const records = decisionsOf(asking, [{ webhooks: [verified] }, { webhooks: [refused] }]);
    expect(records.map(({ outcome }) => outcome)).toEqual(['sponsored', 'denied']);
    const draft = { ...asking, webhooks: [{ ...hook, webhookId: 'another' }] };
    expect(tried(records, asking, draft)).toMatchObject({ same: 2, ...nothing });
  });

  test('one that is asked no more denies no more', () => {
    const records = decisionsOf(asking, [{ webhooks: [refused] }]);
    expect(tried(records, asking, policyWith())).toMatchObject({
      nowSponsored: 1,
      byRule: { webhook: { nowSponsored: 1 } },
    });
  });

  test('what one would have answered that was never asked is unknown, and stays as it was', () => {
    const records = decisionsOf(limited('2'), times(3));
    const draft = { ...limited('3'), webhooks: [hook] };
    expect(tried(records, limited('2'), draft)).toMatchObject({
      same: 0,
      unknown: 3,
      flips: [],
      costWei: { before: String(2n * COST), after: String(2n * COST) },
    });
    expect(tried(records, limited('2'), { ...limited('1'), webhooks: [hook] })).toMatchObject({
      unknown: 1,
      nowDenied: 1,
    });
  });
});

describe('an assumption evaluates what lacks it, and counts it apart:', () => {
  const under = (
    records: readonly DecisionRecord[],
    { before, draft, assumptions }: { before: Policy; draft: Policy; assumptions: Assumptions },
  ): TrialReport => {
    const trial = new PolicyTrial(draftIn(policyFileText(draft), before), undefined, undefined, assumptions);
    for (const record of records) trial.add(pastDecision(record, before));
    return trial.report();
  };
  const before = policyWith({ contracts: [items()] });

  test('a webhook that was not called agrees', () => {
    const records = decisionsOf(before, [...times(3), { method: 'burn' }]);
    const draft = { ...before, webhooks: [hook], rules: [limit({ threshold: '2' })] };
    const evaluated = {
      decisions: 4,
      same: 1,
      nowSponsored: 0,
      nowDenied: 1,
      byRule: { spendingLimit: { nowDenied: 1 } },
    };
    expect(tried(records, before, draft)).toMatchObject({ same: 1, unknown: 2, unknownBy: { webhook: 2 } });
    const report = under(records, { before, draft, assumptions: { webhook: true } });
    expect(report).toMatchObject({ ...evaluated, unknown: 0, unknownBy: {} });
    expect(report.assumed).toEqual({
      decisions: 2,
      same: 2,
      nowSponsored: 0,
      nowDenied: 0,
      by: { webhook: 2 },
      costWei: { before: String(2n * COST), after: String(2n * COST) },
    });
  });

  test('a price that was not read is the given one; one that was read stays', () => {
    const records = decisionsOf(before, times(3));
    const [first, second, third] = records;
    const priced = {
      ...third!,
      facts: { ...(third!.facts as Facts), price: { usd: '3', source: 'static' } },
    } as DecisionRecord;
    const draft = { ...before, rules: [limit({ ...inUsd(COST * 3n), ...EACH })] };
    const assumptions = { price: { usd: '4', source: 'static' } } as const;
    const report = under([first!, second!, priced], { before, draft, assumptions });
    expect(report).toMatchObject({ decisions: 3, same: 1, nowDenied: 0, byRule: {}, unknown: 0 });
    expect(report.assumed).toMatchObject({ decisions: 2, same: 0, nowDenied: 2, by: { price: 2 } });
    expect(report.flips).toMatchObject([
      { id: 'd-0', to: 'denied', code: 'LIMIT_TOO_SMALL', assumed: ['price'] },
      { id: 'd-1', to: 'denied', code: 'LIMIT_TOO_SMALL', assumed: ['price'] },
    ]);
  });

  test('a decision that lacks something else stays unknown, and its flip is decided with the same assumption', () => {
    const others = rule('Others', 'TOKEN_HOLDING', needing(`0x${'7f'.repeat(20)}`, '1'));
    const records = decisionsOf(before, times(1));
    const draft = { ...before, webhooks: [hook], rules: [others] };
    const report = under(records, { before, draft, assumptions: { webhook: true } });
    expect(report).toMatchObject({ unknown: 1, unknownBy: { token: 1 }, assumed: { decisions: 0, by: {} } });
    const burning = { ...before, contracts: [bothMethods], webhooks: [hook] };
    const denied = decisionsOf(before, [{ method: 'burn' }]);
    const { flips } = under(denied, { before, draft: burning, assumptions: { webhook: true } });
    expect(flips).toMatchObject([{ to: 'sponsored', assumed: ['webhook'] }]);
    const draftAt = draftIn(policyFileText(burning), before);
    const inTrial = { draftAt, from: NOW, held: [0n], assumptions: { webhook: true } };
    expect(decideUnderDraft(pastDecision(denied[0]!, before), inTrial)).toMatchObject({ outcome: 'sponsored' });
  });
});

test('facts that the record lacks are unknown; a failure was no decision', () => {
  const [one] = decisionsOf(policyWith(), times(1));
  const { facts: _none, ...without } = one!;
  const trial = new PolicyTrial(draftIn(policyFileText(policyWith()), policyWith()));
  trial.add(pastDecision({ ...without, outcome: 'error' }, undefined));
  trial.add(pastDecision(without, policyWith()));
  trial.add(pastDecision(one!, undefined));
  trial.add(pastDecision({ ...one!, facts: { v: 99 } }, policyWith()));
  expect(trial.report()).toMatchObject({ decisions: 3, same: 0, unknown: 3, flips: [] });
  expect(trial.report().unknownBy).toEqual({ record: 3 });
});

test('what was denied in a pause, before its gas was known, would have been denied under any draft', () => {
  const paused = { ...limited('5'), pause: { since: 1, reason: null } };
  const records = decisionsOf(paused, times(2));
  expect(tried(records, paused, policyWith())).toMatchObject({ same: 2, ...nothing });
});
