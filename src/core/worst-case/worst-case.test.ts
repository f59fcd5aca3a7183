import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { factsWith, policyWith } from '../../../test/support/facts.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import type { Situation } from './attack-operation.ts';
import { attackedPolicy } from './attacked-policy.ts';
import { type WorstCase, attackReservations, worstCase } from './worst-case.ts';
import { people } from '../../../test/support/situations.ts';
import { sized } from '../../../test/support/combinations.ts';
import { headline, perAccountWords, perPersonWords, stopWords } from './words.ts';

const MILLI = 10n ** 15n;
const HOUR_MS = 3_600_000;
const { at, gasSchedule, hasNode, contract, shared, chain } = factsWith();
/** The tank holds 1 coin; an operation may cost 0.02 coins. */
const situation: Situation = { at, gasSchedule, hasNode, contract, shared, chain };

const limit = (name: string, data: object, hours = 1): PolicyRule => ({
  ruleId: name,
  name,
  policyType: 'PAYMASTER_SA_LIMIT',
  active: true,
  cycle: 0,
  policyData: {
    cycleDuration: { value: hours, unit: 'hour' },
    startTimeInEpoch: at - HOUR_MS / 3,
    durationInMs: hours * HOUR_MS,
    type: 'PAYMASTER',
    thresholdType: 'COUNT',
    threshold: '10',
    ...data,
  },
});
const inCoins = (threshold: string) => ({ thresholdType: 'NATIVE_ASSET', threshold });

const chainWith = (changes: Partial<NonNullable<Policy['chain']>>): Pick<Policy, 'chain'> => ({
  chain: { name: null, symbol: null, breaker: null, unreachableBudgetWei: null, maxOperationCostWei: null, ...changes },
});
const breaker = (milli: bigint, seconds: number) =>
  chainWith({ breaker: { amountWei: String(milli * MILLI), seconds } });

const find = (changes: Partial<Policy> = {}, where = situation, held: readonly bigint[] = []): WorstCase => {
  const finding = worstCase(policyWith(changes), where, held);
  for (;;) {
    const { done, value } = finding.next();
    if (done === true) return value;
  }
};

/** For each period, the amount in thousandths of the coin, rounded, and what stops the attacker. */
const rounded = ({ bounds }: WorstCase): unknown[] =>
  bounds.map(({ amountWei, stoppedBy }) => [
    amountWei === null ? null : (BigInt(amountWei) + MILLI / 2n) / MILLI,
    stoppedBy && (stoppedBy.name ?? stoppedBy.rule),
  ]);

describe('what a holder of the API key can cost', () => {
  test.each<[string, Partial<Policy>, unknown[]]>([
    [
      'by the gas tank alone',
      {},
      [
        [1_000n, 'gasTank'],
        [1_000n, 'gasTank'],
        [1_000n, 'gasTank'],
      ],
    ],
    [
      'by a limit that counts operations: each is as dear as can be, and parts of two windows lie in an hour',
      { rules: [limit('ten', {})] },
      [
        [200n, 'ten'],
        [400n, 'ten'],
        [1_000n, 'gasTank'],
      ],
    ],
    [
      'by a limit in coins per day, of which an hour can have two',
      { rules: [limit('coins', inCoins('0.05'), 24)] },
      [
        [50n, 'coins'],
        [100n, 'coins'],
        [100n, 'coins'],
      ],
    ],
    [
      'by a limit of five hours, of which a day can have six',
      { rules: [limit('coins', inCoins('0.1'), 5)] },
      [
        [100n, 'coins'],
        [200n, 'coins'],
        [600n, 'coins'],
      ],
    ],
    [
      'by a limit per user: nothing of it',
      { rules: [limit('user', { type: 'SMART_ACCOUNT', threshold: '1' })] },
      [
        [1_000n, 'gasTank'],
        [1_000n, 'gasTank'],
        [1_000n, 'gasTank'],
      ],
    ],
    [
      'by a limit per user in coins: it bounds one operation all the same',
      { rules: [limit('user', { type: 'SMART_ACCOUNT', ...inCoins('0.002') }), limit('ten', {})] },
      [
        [20n, 'ten'],
        [40n, 'ten'],
        [500n, 'ten'],
      ],
    ],
    [
      'by the cap for one operation',
      { ...chainWith({ maxOperationCostWei: String(4n * MILLI) }), rules: [limit('ten', {})] },
      [
        [40n, 'ten'],
        [80n, 'ten'],
        [1_000n, 'ten'],
      ],
    ],
    [
      'by a breaker',
      breaker(20n, 3_600),
      [
        [20n, 'burnRate'],
        [20n, 'burnRate'],
        [480n, 'burnRate'],
      ],
    ],
    [
      'by a breaker of a minute',
      breaker(5n, 60),
      [
        [5n, 'burnRate'],
        [300n, 'burnRate'],
        [1_000n, 'gasTank'],
      ],
    ],
    [
      'by a paused limit: nothing of it',
      { rules: [{ ...limit('ten', {}), active: false }] },
      [
        [1_000n, 'gasTank'],
        [1_000n, 'gasTank'],
        [1_000n, 'gasTank'],
      ],
    ],
    [
      'while it is paused',
      { pause: { since: 0, reason: null } },
      [
        [0n, 'pause'],
        [0n, 'pause'],
        [0n, 'pause'],
      ],
    ],
  ])('%s', (_case, changes, expected) => {
    expect(rounded(find(changes))).toEqual(expected);
  });

  test('on a chain without an answer, the whole tank counts if no rule limits all users', () => {
    const unchecked = { ...situation, chain: null, hasNode: false };
    expect(rounded(find({}, unchecked))).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
    const bound = find({ rules: [limit('coins', inCoins('0.05'))] }, unchecked);
    expect(rounded(bound)).toEqual([
      [50n, 'coins'],
      [100n, 'coins'],
      [1_250n, 'coins'],
    ]);
  });

  test('at once is less by what is held now', () => {
    const changes = { rules: [limit('ten', {})] };
    const accounts = attackReservations(policyWith(changes), situation);
    const used = accounts.map(({ account }) => (account.kind === 'limit' ? 4n : 0n));
    expect(rounded(find(changes, situation, used))[0]).toEqual([120n, 'ten']);
    const reserved = accounts.map(({ account }) => (account.kind === 'tank' ? 900n * MILLI : 0n));
    expect(rounded(find(changes, situation, reserved))[0]).toEqual([100n, 'gasTank']);
  });

  test('at once is a share of a tank that several DApps use, and all of it in time', () => {
    const several = { ...situation, shared: { bySenders: true, byDapps: true, chain: false } };
    const found = find({}, several);
    expect(rounded(found)).toEqual([
      [250n, 'gasTank'],
      [1_000n, 'gasTank'],
      [1_000n, 'gasTank'],
    ]);
    expect(found.bounds[0]?.stoppedBy?.code).toBe('TANK_SHARE_REACHED');
    expect(found.bounds[0]?.ladder.map(stopWords)).toEqual(["DApp's share of the gas tank", 'gas tank']);
  });

  test('is half of the breaker on a chain with several DApps', () => {
    const several = { ...situation, shared: { bySenders: false, byDapps: false, chain: true } };
    const found = find(breaker(40n, 3_600), several);
    expect(rounded(found)[1]).toEqual([20n, 'burnRate']);
    const [half, all] = found.bounds[1]?.ladder.map(stopWords) ?? [];
    expect([half, all]).toEqual(["DApp's half of the burn-rate breaker", 'burn-rate breaker']);
  });

  test('lists every rule that would stop it, the first one first, and those that never do', () => {
    const user = limit('user', { type: 'SMART_ACCOUNT', threshold: '1' });
    const { bounds, perAccount } = find({ ...breaker(300n, 3_600), rules: [limit('ten', {}), user] });
    expect(bounds[1]?.ladder.map(({ rule, name }) => name ?? rule)).toEqual(['burnRate', 'ten', 'gasTank']);
    expect(perAccount).toEqual([{ rule: 'spendingLimit', name: 'user', code: 'LIMIT_REACHED' }]);
  });
});

describe('a limit that counts people', () => {
  const three = limit('three', { type: 'SUBJECT', threshold: '3' }, 24);
  const { rules } = attackedPolicy(
    policyWith({ rules: [people({ enforcement: 'shadow', when: 'op.deploys' }), three] }),
    undefined,
  );
  const allowed = { rule: 'spendingLimit', name: 'three', code: 'LIMIT_REACHED', allows: '3 operations per 24 hours' };

  test('stops an attacker by the number of their people', () => {
    const found = find({ rules }, { ...situation, people: 5 });
    // 5 people, 3 operations of 0.02 coins each, in two windows.
    expect(rounded(found)).toEqual([
      [300n, 'three'],
      [600n, 'three'],
      [600n, 'three'],
    ]);
    expect(found.bounds.map(({ attack }) => attack.amountWei)).toEqual(found.bounds.map(({ amountWei }) => amountWei));
    expect([found.perPerson, found.perAccount]).toEqual([[allowed], []]);
    expect(perPersonWords(allowed, 5)).toBe('The spending limit "three" allows 5 people × 3 operations per 24 hours.');
  });

  test('stops no one who may be any number of people', () => {
    const found = find({ rules });
    expect(found.bounds.map(({ stoppedBy }) => stoppedBy?.rule)).toEqual(['gasTank', 'gasTank', 'gasTank']);
    expect(found.perPerson).toEqual([allowed]);
    expect(perPersonWords(allowed, null)).toContain('State how many people');
  });
});

const somePolicy = fc.record({
  limits: fc.array(
    fc.record({
      coins: fc.boolean(),
      threshold: fc.integer({ min: 1, max: 60 }),
      hours: fc.constantFrom(1, 2, 5, 24),
      type: fc.constantFrom('PAYMASTER', 'SMART_ACCOUNT', 'SUBJECT'),
    }),
    { maxLength: 3 },
  ),
  milli: fc.option(fc.bigInt(5n, 400n)),
  seconds: fc.constantFrom(600, 3_600, 86_400),
  persons: fc.integer({ min: 1, max: 7 }),
});

test('an attack never exceeds its limit; one rule lets it reach the limit; one more operation is denied', () => {
  fc.assert(
    fc.property(somePolicy, ({ limits, milli, seconds, persons }) => {
      const rules = limits.map(({ coins, threshold, hours, type }, index) =>
        limit(
          `limit ${index}`,
          { type, ...(coins ? inCoins(String(threshold / 100)) : { threshold: String(threshold) }) },
          hours,
        ),
      );
      const binding = limits.filter(({ type }) => type !== 'SMART_ACCOUNT').length + (milli === null ? 0 : 1);
      const policy = { rules: [people(), ...rules], ...(milli !== null && breaker(milli, seconds)) };
      for (const { amountWei, attack } of find(policy, { ...situation, people: persons }).bounds) {
        const [bound, reached] = [BigInt(amountWei ?? 0), BigInt(attack.amountWei)];
        expect(reached).toBeLessThanOrEqual(bound);
        if (binding <= 1) expect(reached * 100n).toBeGreaterThanOrEqual(bound * 99n);
        expect(attack.last?.outcome).toBe('sponsored');
        expect(attack.next?.outcome).toBe('denied');
      }
    }),
    { numRuns: sized(12, 4) },
  );
});

test('only changes that lower the worst case are proposed, by what they save', () => {
  const tank = { ...situation, chain: chain && { ...chain, balanceWei: String(900n * MILLI) } };
  const { suggestions, bounds } = find({ rules: [limit('Deploy', {}), deployment] }, tank);
  const days = suggestions.map(({ amountsWei }) => BigInt(amountsWei.day ?? 0));
  expect(days).toEqual(days.toSorted((one, other) => Number(one - other)));
  expect(suggestions[0]?.sentence).toBe(
    'A limit for all users together of 0.09 ETH a day lowers the daily worst case from 0.9 ETH to 0.18 ETH: new accounts do not get around it; any 24 hours can overlap two daily windows.',
  );
  // New accounts are free, and an attacker deploys accounts at its own expense.
  const changes = suggestions.map(({ change }) => change);
  expect(changes).not.toContain('limitPerUser');
  expect(changes).not.toContain('walletDeploymentOff');
  for (const { sentence } of suggestions) {
    const [, from, to] = / lowers .* from (\S+) ETH to (\S+) ETH: /.exec(sentence) ?? [];
    expect(Number(to)).toBeLessThan(Number(from));
  }
  expect(headline(bounds, 'ETH')).toBe('An attacker with the API key can make you pay at most 0.9 ETH a day.');
});

test('a share of the gas tank is called a share, not the tank, if it stops no attacker', () => {
  expect(perAccountWords({ rule: 'gasTank', name: null, code: 'TANK_SHARE_REACHED' })).toBe(
    "A user's share of the gas tank stops no attacker: it counts each account, and new accounts are free.",
  );
});

const deployment: PolicyRule = {
  ruleId: 'deployment',
  name: 'Deployment',
  policyType: 'WALLET_DEPLOYMENT',
  active: true,
  cycle: 0,
  policyData: { operator: 'walletDeployment' },
};
