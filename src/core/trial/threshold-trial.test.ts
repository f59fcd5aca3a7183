import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { type TestOperation, decisionsOf } from '../../../test/support/past-decisions.ts';
import {
  COST,
  EACH,
  HOUR_MS,
  LIFETIME,
  NOW,
  PRICED,
  hook,
  inUsd,
  inWei,
  items,
  limit,
  responseWith,
} from '../../../test/support/situations.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { pastDecision } from '../decision/past-decision.ts';
import type { Policy } from '../policy/policy.ts';
import { type SpendingLimit, thresholdUnits } from '../rules/spending-limit/index.ts';
import { ThresholdTally } from './threshold-tally.ts';
import { ThresholdCases } from './threshold-cases.ts';
import { ThresholdSample, ThresholdTrial, UNLIMITED } from './threshold-trial.ts';
import { PolicyTrial } from './try-policy.ts';

const DAY_MS = 24 * HOUR_MS;
const MOVED = 'Moved';

const withThreshold = (draft: Policy, threshold: string): Policy => ({
  ...draft,
  rules: draft.rules.map((rule) =>
    rule.ruleId === MOVED ? { ...rule, policyData: { ...(rule.policyData as object), threshold } } : rule,
  ),
});

const unitsOf = (draft: Policy, threshold: string): bigint =>
  thresholdUnits(
    withThreshold(draft, threshold).rules.find(({ ruleId }) => ruleId === MOVED)!.policyData as SpendingLimit,
  );

const prepared = (records: readonly DecisionRecord[], recorded: Policy, draft: Policy): ThresholdTrial => {
  const trial = new ThresholdTrial({ draftAt: () => draft, ruleId: MOVED, from: records[0]!.at });
  for (const record of records) trial.add(pastDecision(record, recorded));
  return trial;
};

const counted = ({ cases }: ThresholdTrial, units: bigint) => {
  const tally = new ThresholdTally(NOW - DAY_MS, NOW + 8 * DAY_MS, 9);
  cases.count(units, tally);
  return tally;
};

const tried = (records: readonly DecisionRecord[], recorded: Policy, draft: Policy) => {
  const trial = new PolicyTrial(() => draft);
  for (const record of records) trial.add(pastDecision(record, recorded));
  const { decisions, same, nowSponsored, nowDenied, unknown, costWei, senders } = trial.report();
  return { decisions, same, nowSponsored, nowDenied, unknown, costWei, senders };
};

const settled: fc.Arbitrary<NonNullable<TestOperation['settled']>> = fc.oneof(
  fc.record({ settlement: fc.constant('settled' as const), actualCostWei: fc.bigInt(1n, COST).map(String) }),
  fc.constantFrom(
    { settlement: 'released' as const, actualCostWei: null },
    { settlement: 'unconfirmed' as const, actualCostWei: null },
    { settlement: 'reserved' as const, actualCostWei: null },
  ),
);

const operation: fc.Arbitrary<TestOperation & { readonly later: number }> = fc.record({
  // Rarely, the clock was set back.
  later: fc.oneof(
    { weight: 9, arbitrary: fc.nat(3 * HOUR_MS) },
    { weight: 1, arbitrary: fc.integer({ min: -HOUR_MS, max: 0 }) },
  ),
  method: fc.constantFrom('mint', 'mint', 'mint', 'burn'),
  sender: fc.constantFrom(...['a1', 'b2', 'c3'].map((digits): `0x${string}` => `0x${digits.repeat(20)}`)),
  callGasLimit: fc.constantFrom(50_000n, 100_000n, 200_000n),
  balanceWei: fc.constantFrom(3n * COST, 12n * COST, 100n * COST),
  settled,
  facts: fc.record({
    shared: fc.record({ bySenders: fc.boolean(), byDapps: fc.constant(false), chain: fc.boolean() }),
    ...(PRICED.facts?.price && { price: fc.constantFrom(PRICED.facts.price, PRICED.facts.price, undefined) }),
    expiryDuration: fc.constantFrom(300, 300, 300, 900),
  }),
});

const measured = (most: bigint): fc.Arbitrary<Partial<SpendingLimit>> =>
  fc.oneof(
    fc.bigInt(1n, most).map((count) => ({ thresholdType: 'COUNT' as const, threshold: String(count) })),
    fc.bigInt(COST / 2n, most * COST).map(inWei),
    fc.bigInt(COST, 3n * most * COST).map(inUsd),
  );

const windowed: fc.Arbitrary<Partial<SpendingLimit>> = fc.oneof(
  fc
    .constantFrom(1, 5, 24)
    .map((hours) => ({ cycleDuration: { value: hours, unit: 'hour' as const }, durationInMs: hours * HOUR_MS })),
  fc.constant(LIFETIME),
);

const someLimit = (ruleId: string) =>
  fc
    .record({
      type: fc.constantFrom('PAYMASTER' as const, 'SMART_ACCOUNT' as const),
      measure: measured(12n),
      window: windowed,
      startsAt: fc.constantFrom(NOW - HOUR_MS, NOW + 7 * HOUR_MS),
      isShadow: fc.boolean(),
      isSingle: fc.boolean(),
    })
    .map(({ type, measure, window, startsAt, isShadow, isSingle }) => ({
      ...limit(
        {
          type,
          ...measure,
          ...window,
          startTimeInEpoch: startsAt,
          ...(isSingle && measure.thresholdType !== 'COUNT' && EACH),
        },
        ruleId,
      ),
      ...(isShadow && { enforcement: 'shadow' as const }),
    }));

const bothMethods = items({ whitelistedMethods: ['mint(uint256)', 'burn(uint256)'] });
const moved = someLimit(MOVED);

const policies = fc
  .record({
    then: moved,
    others: fc.array(fc.constantFrom('Other', 'Another').chain(someLimit), { maxLength: 2 }),
    hasMoved: fc.boolean(),
    drafted: moved.map((rule) => ({ ...rule, cycle: 1 })),
    cycle: fc.constantFrom(0, 1),
    contracts: fc.constantFrom(undefined, items(), bothMethods).map((one) => (one === undefined ? [] : [one])),
    isPaid: fc.boolean(),
    breakerWei: fc.constantFrom(undefined, 4n * COST, 40n * COST),
    isNewHook: fc.boolean(),
    isShorter: fc.boolean(),
  })
  .map(({ then, others, hasMoved, drafted, cycle, contracts, breakerWei, isNewHook, isShorter }) => {
    const unique = others.filter(({ ruleId }, index) => others.findIndex((one) => one.ruleId === ruleId) === index);
    const base = policyWith();
    const chain = {
      ...base.chain!,
      ...(breakerWei !== undefined && { breaker: { amountWei: String(breakerWei), seconds: 3600 } }),
    };
    const recorded = policyWith({
      chain,
      contracts: [bothMethods],
      webhooks: [hook],
      rules: [...(hasMoved ? [then] : []), ...unique],
    });
    const draft: Policy = {
      ...recorded,
      contracts,
      dapp: { ...recorded.dapp, ...(isShorter && { maxExpirySeconds: 600 }) },
      webhooks: isNewHook ? [hook, { ...hook, webhookId: 'new', webhookUrl: 'https://hooks.example/new' }] : [hook],
      // A limit of the same cycle continues to count.
      rules: [...unique.slice(1), { ...(cycle === 0 ? then : drafted), cycle }],
    };
    return { recorded, draft };
  });

const RESPONSES = [responseWith(), responseWith(), responseWith({}, { response: '{"arePoliciesVerified": false}' })];

describe('a trial of many thresholds', () => {
  test('counts for each threshold exactly what a trial of the draft with this threshold counts', () => {
    const thresholds = fc.array(fc.bigInt(1n, 20n), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(policies, fc.array(operation, { minLength: 5, maxLength: 40 }), thresholds, (given, sent, some) => {
        let after = 0;
        const operations = sent.map(({ later, ...one }, index) => {
          after += later;
          return { ...one, after, webhooks: [RESPONSES[index % RESPONSES.length]!] };
        });
        const { recorded, draft } = given;
        const records = decisionsOf(recorded, operations);
        const trial = prepared(records, recorded, draft);
        const { thresholdType } = draft.rules.at(-1)!.policyData as SpendingLimit;
        for (const one of some) {
          const threshold = thresholdType === 'COUNT' ? String(one) : inWei(one * COST).threshold!;
          const report = counted(trial, unitsOf(draft, threshold)).report();
          expect(report).toEqual(tried(records, recorded, withThreshold(draft, threshold)));
        }
      }),
      { numRuns: 80 },
    );
  });
});

describe('a sample of decisions', () => {
  const recorded = policyWith({ rules: [limit({ threshold: '3' }, MOVED)] });
  const draft: Policy = { ...recorded, rules: recorded.rules.map((rule) => ({ ...rule, cycle: 1 })) };
  const records = decisionsOf(
    recorded,
    Array.from({ length: 5 }, (_, index) => ({ after: index })),
  );
  const sampled = (then: Policy, now: Policy, threshold: string) => {
    const sample = new ThresholdSample({ draftAt: () => now, ruleId: MOVED, from: NOW });
    const cases = new ThresholdCases();
    for (const record of records) cases.add(sample.caseOf(pastDecision(record, then)));
    const tally = new ThresholdTally(NOW, NOW + 1, 1);
    cases.count(unitsOf(now, threshold), tally, 10);
    const { nowDenied, nowSponsored, same, unknown } = tally.report();
    return { nowDenied, nowSponsored, same, unknown };
  };

  test('is decided by the usage that the records contain, and stands for more decisions', () => {
    const unchanged = { nowDenied: 0, nowSponsored: 0, same: 50, unknown: 0 };
    expect(sampled(recorded, draft, '3')).toEqual(unchanged);
    expect(sampled(recorded, draft, '2')).toEqual({ ...unchanged, nowDenied: 10, same: 40 });
    // Each of the two that were denied would have been the fourth. Which of them comes first is not known here.
    expect(sampled(recorded, draft, '4')).toEqual({ ...unchanged, nowSponsored: 20, same: 30 });
  });

  test('is not evaluated if the policy of its time did not count the same, unless one operation exceeds the threshold', () => {
    const inCoins: Policy = {
      ...draft,
      rules: draft.rules.map((rule) => ({ ...rule, policyData: { ...(rule.policyData as object), ...inWei(COST) } })),
    };
    expect(sampled(recorded, inCoins, weiToDecimal(5n * COST))).toMatchObject({ unknown: 50 });
    expect(sampled(recorded, inCoins, weiToDecimal(COST - 1n))).toMatchObject({ unknown: 0, nowDenied: 30, same: 20 });
  });
});

test('the useful thresholds begin at the smallest operation, and end at the most that would be used without the limit', () => {
  const recorded = policyWith({ rules: [limit({ threshold: '3' }, MOVED)] });
  const records = decisionsOf(
    recorded,
    Array.from({ length: 5 }, (_, index) => ({ after: index })),
  );
  const draft: Policy = { ...recorded, rules: recorded.rules.map((rule) => ({ ...rule, cycle: 1 })) };
  const { cases } = prepared(records, recorded, draft);
  expect(cases.amounts(unitsOf(draft, UNLIMITED))).toEqual({ least: 1n, most: 5n });
});

test('a limit in US dollars has no useful thresholds among operations without a recorded price', () => {
  const recorded = policyWith({ rules: [] });
  const records = decisionsOf(recorded, [{ after: 0 }, { after: 1 }]);
  const draft = policyWith({ rules: [limit(inUsd(COST), MOVED)] });
  const { cases } = prepared(records, recorded, draft);
  expect(cases.amounts(unitsOf(draft, UNLIMITED))).toBeUndefined();
});
