import { beforeAll, describe, expect, test } from 'vitest';
import { bareDecide } from '../../../test/support/bare-core.ts';
import { ENGINE, decidedLine } from '../../../test/support/decided-record.ts';
import { casesOf, codeTables } from '../../../test/support/rule-tables.ts';
import { type Situation, decided, inputsOf, together } from '../../../test/support/situation.ts';
import { decide, planOperation } from './decide.ts';
import { policySchema } from '../policy/policy.ts';
import { replay } from '../replay/replay.ts';
import { ruleKinds } from '../rules/registry.ts';

test('every code with which a kind of rule denies has its rows', () => {
  const codes = ruleKinds.flatMap(({ denials: words }) => Object.keys(words));
  expect(codeTables.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
  expect(codeTables.filter(({ rows }) => rows.length === 0)).toEqual([]);
});

const cases = casesOf(({ rows, sparesDrafts = false }) => rows.map((row) => ({ ...row, sparesDrafts })));

const denials = (situation: Situation): string[] =>
  decided(situation)
    .steps.filter(({ outcome }) => outcome === 'deny')
    .map(({ rule: type, code }) => `${type}: ${code}`);

const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** The verdict, with its steps and effects, as text. */
const textOf = (verdict: ReturnType<typeof decide>): string => JSON.stringify(verdict, digits);

describe.each(cases)('$name', ({ type, code, denied, signed, sparesDrafts }) => {
  test('is the reason, and the only denial', () => {
    expect(decided(denied).reason).toMatchObject({ code, rule: type });
    expect(denials(denied)).toEqual([`${type}: ${code}`]);
  });

  test('says what happened and what to do, from the values that were compared', () => {
    const { message = '', hint = '' } = decided(denied).reason ?? {};
    expect([message, hint]).toEqual([expect.stringMatching(/^[A-Z].*[.]$/), expect.stringMatching(/^[A-Z].*[.]$/)]);
    expect(message + hint).not.toMatch(/undefined|null|NaN|\[object/);
  });

  test('is gone with the other value: the operation is signed', () => {
    expect(decided(signed).reason).toBeUndefined();
    expect(denials(signed)).toEqual([]);
  });

  test('applies to drafts, or does not', () => {
    const draft = together(denied, { facts: { stage: 'draft' } });
    expect(decided(draft).reason?.code).toBe(sparesDrafts ? undefined : code);
  });

  test.each([
    ['denied', denied],
    ['signed', signed],
  ])('is decided again from its record, where it is %s', (_, situation) => {
    const [facts, policy, held] = inputsOf(situation);
    const revision = policySchema.parse(JSON.parse(JSON.stringify(policy)));
    const record = decidedLine(facts, policy, held);
    expect(record.outcome).toBe(situation === denied ? 'denied' : 'sponsored');
    expect(replay(record, revision, { engine: ENGINE, withSignatures: true })).toMatchObject({ differences: [] });
  });

  test('does not depend on when, where and how often it is decided', () => {
    for (const situation of [denied, signed]) {
      const inputs = inputsOf(situation);
      expect(textOf(decide(...inputs))).toBe(textOf(decide(...structuredClone(inputs))));
    }
  });
});

test('a kind of rule states the highest amount in each account with which it passes', () => {
  let checked = 0;
  for (const { denied, signed } of cases)
    for (const situation of [denied, signed]) {
      const [facts, policy] = inputsOf(situation);
      const { input, kinds } = planOperation(facts, policy);
      for (const [kind, reservations] of kinds) {
        if (kind.mostHeld === undefined) continue;
        const denialsWith = (index: number, amount: bigint): number => {
          const held = Array.from({ length: reservations }, (_, at) => (at === index ? amount : 0n));
          return kind.check(input, held).filter(({ outcome }) => outcome === 'deny' || outcome === 'wouldDeny').length;
        };
        const most = kind.mostHeld(input);
        for (let index = 0; index < reservations; index += 1) {
          const passes = most[index];
          const [empty, full] = [denialsWith(index, 0n), denialsWith(index, 10n ** 40n)];
          if (passes === undefined) expect(full).toBe(empty);
          else if (passes < 0n) expect(empty).toBeGreaterThan(0);
          else {
            checked += 1;
            expect([denialsWith(index, passes), denialsWith(index, passes + 1n)]).toEqual([empty, empty + 1]);
          }
        }
      }
    }
  expect(checked).toBeGreaterThan(100);
});

describe('without Node, browser, clock and entropy', () => {
  let bare: Awaited<ReturnType<typeof bareDecide>>;
  beforeAll(async () => {
    bare = await bareDecide();
  });

  test.each(cases)('$name is decided the same', ({ denied, signed }) => {
    for (const situation of [denied, signed])
      expect(bare(...inputsOf(situation))).toBe(textOf(decide(...inputsOf(situation))));
  });
});
