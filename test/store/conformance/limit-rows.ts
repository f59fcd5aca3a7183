import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AccountKey, type Reservation, accountText } from '../../../src/core/ledger/account.ts';
import { heldOnceSettled } from '../../../src/core/ledger/after-settlement.ts';
import { windowAt } from '../../../src/core/ledger/windows.ts';
import type { Policy } from '../../../src/core/policy/policy.ts';
import {
  type LimitWords,
  type SpendingLimit,
  cycleMs,
  limitAccount,
  limitSetup,
  spendingLimit,
  thresholdUnits,
} from '../../../src/core/rules/spending-limit/index.ts';
import type { Rule } from '../../../src/engine/store/policy-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import type { Address, Hex } from '../../../src/shared/schema/hex.ts';
import { sized } from '../../support/combinations.ts';
import { factsWith, policyWith, ruleInputWith } from '../../support/facts.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { account, decision, paymaster } from '../../support/store-records.ts';
import { useTempFolders } from '../../support/temp-folder.ts';
import type { OpenStore } from './open-store.ts';

const CHAIN = 31337;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const DAPPS = ['dapp-1', 'dapp-2'];
const CONTRACT: Address = `0x${'cc'.repeat(20)}`;
const SENDERS: readonly Address[] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
/** One of them is like an address of a sender, the others are what a text may contain. */
const PERSONS = [SENDERS[0], 'a\nb', '"],"', '3x ', 'ä\u{1f98a}', '', 'p'.repeat(3_000)];

const CYCLES: readonly SpendingLimit['cycleDuration'][] = [
  { value: 1, unit: 'hour' },
  { value: 2, unit: 'hour' },
  { value: 1, unit: 'day' },
  { value: 1, unit: 'week' },
  { value: 1, unit: 'lifetime' },
];

interface Limit extends Pick<LimitWords, 'type' | 'thresholdType'> {
  cycle: number;
  threshold: number;
}

type Action = { engine: number; dapp: number } & (
  | { kind: 'decide'; sender: number; person: number; cost: bigint; fails: boolean }
  | { kind: 'settle'; which: number; percent: bigint; block: number }
  | { kind: 'reorg'; from: number }
  | { kind: 'expire'; to: 'released' | 'unconfirmed' }
  | { kind: 'add'; first: boolean; limit: Limit }
  | { kind: 'change'; which: number; limit: Limit }
  | { kind: 'remove'; which: number }
  | { kind: 'order' }
);

interface Batch {
  actions: Action[];
  /** Milliseconds. */
  after: number;
  restart: boolean;
}

const where = { engine: fc.nat(2), dapp: fc.nat(1) };
const rarely = fc.nat(9).map((n) => n === 0);
const limit: fc.Arbitrary<Limit> = fc.record({
  type: fc.constantFrom('PAYMASTER', 'SMART_ACCOUNT', 'SUBJECT'),
  thresholdType: fc.constantFrom('COUNT', 'NATIVE_ASSET', 'USD'),
  cycle: fc.nat(CYCLES.length - 1),
  threshold: fc.integer({ min: 1, max: 12 }),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      ...where,
      kind: fc.constant('decide' as const),
      sender: fc.nat(SENDERS.length - 1),
      person: fc.nat(PERSONS.length - 1),
      cost: fc.constantFrom(0n, 1n, 10n ** 18n, 10n ** 18n - 1n, 3n * 10n ** 17n),
      fails: rarely,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...where,
      kind: fc.constant('settle' as const),
      which: fc.nat(99),
      percent: fc.bigInt(0n, 100n),
      block: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...where, kind: fc.constant('reorg' as const), from: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...where,
      kind: fc.constant('expire' as const),
      to: fc.constantFrom(...(['unconfirmed', 'unconfirmed', 'unconfirmed', 'released'] as const)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...where, kind: fc.constant('add' as const), first: fc.boolean(), limit }) },
  { weight: 1, arbitrary: fc.record({ ...where, kind: fc.constant('change' as const), which: fc.nat(9), limit }) },
  { weight: 1, arbitrary: fc.record({ ...where, kind: fc.constant('remove' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ ...where, kind: fc.constant('order' as const) }) },
);
const batches: fc.Arbitrary<Batch[]> = fc.array(
  fc.record({
    actions: fc.array(action, { minLength: 1, maxLength: 16 }),
    after: fc.constantFrom(0, 1, HOUR - 1, HOUR, 25 * HOUR, 8 * 24 * HOUR, -1, -HOUR),
    restart: rarely,
  }),
  { minLength: 4, maxLength: 14 },
);

type LimitRule = Rule & { readonly policyData: SpendingLimit };

/** A sponsored decision. */
interface Made {
  readonly id: string;
  readonly hash: Hex;
  readonly sender: Address;
  readonly cost: bigint;
  readonly reservations: readonly Reservation[];
}

/** What all decisions together keep in each account of a limit, by the account's name. */
type Kept = Map<string, { readonly held: bigint; readonly account: AccountKey }>;

/** Engines that share a database. */
class LimitsRun {
  readonly #openStore: (clock: ManualClock) => Promise<Store>;
  readonly #engines: number;
  readonly #clock = new ManualClock(START + 17 * 60_000);
  #stores: Store[] = [];
  readonly #rules = new Map<string, LimitRule[]>(DAPPS.map((dapp) => [dapp, []]));
  /** Every limit that was ever in force. */
  readonly #all: LimitRule[] = [];
  readonly made: Made[] = [];
  /** What was given back may be given to another operation, and taken again by a re-org or a late block. */
  #hasGivenBack = false;
  #number = 0;

  constructor(openStore: (clock: ManualClock) => Promise<Store>, engines: number) {
    this.#openStore = openStore;
    this.#engines = engines;
  }

  async open(): Promise<void> {
    while (this.#stores.length < this.#engines) this.#stores.push(await this.#openStore(this.#clock));
  }

  async setUp(): Promise<void> {
    await this.open();
    await this.#stores[0]?.createAccount(account);
    for (const paymasterId of DAPPS) await this.#stores[0]?.createDapp(paymaster({ paymasterId, name: paymasterId }));
  }

  async close(): Promise<void> {
    const stores = this.#stores;
    this.#stores = [];
    for (const store of stores) await store.close();
  }

  async batch({ actions, after, restart }: Batch): Promise<void> {
    await this.#clock.advance(after);
    if (restart) {
      await this.close();
      await this.open();
    }
    await Promise.all(actions.map((one) => this.#act(one)));
    await this.#compare();
  }

  #store({ engine }: Action): Store {
    return this.#stores[engine % this.#stores.length]!;
  }

  #ruleOf(ruleId: string, cycle: number, paymasterId: string, made: Limit): LimitRule {
    const { type, thresholdType } = made;
    const cycleDuration = CYCLES[made.cycle]!;
    const durationInMs = cycleMs(cycleDuration);
    const policyData: SpendingLimit = {
      ...{ type, thresholdType, threshold: String(made.threshold), cycleDuration },
      startTimeInEpoch: this.#clock.now(),
      ...(durationInMs !== undefined && { durationInMs }),
    };
    const rule = {
      ruleId,
      cycle,
      paymasterId,
      name: ruleId,
      active: true,
      policyType: limitSetup.policyType,
      policyData,
    };
    this.#all.push(rule);
    return rule;
  }

  async #act(one: Action): Promise<void> {
    const dapp = DAPPS[one.dapp]!;
    const rules = this.#rules.get(dapp) ?? [];
    switch (one.kind) {
      case 'decide':
        return this.#decide(one, dapp);
      case 'settle':
        return this.#settle(one);
      case 'reorg': {
        const range = { fromBlock: one.from, toBlock: one.from + 3, mined: [], cursor: one.from };
        await this.#store(one).applySettlements({ chainId: CHAIN, ...range });
        return;
      }
      case 'expire': {
        this.#hasGivenBack ||= one.to === 'released';
        const query = { chainId: CHAIN, after: { validUntil: 0, seq: 0 }, validUntilBefore: 2 ** 40, most: 5 };
        const open = await this.#store(one).openReservations(query);
        await this.#store(one).endReservations(
          open.map(({ seq }) => seq),
          one.to,
        );
        return;
      }
      case 'add': {
        this.#number += 1;
        const rule = this.#ruleOf(`limit-${this.#number}`, 0, dapp, one.limit);
        this.#rules.set(dapp, one.first ? [rule, ...rules] : [...rules, rule]);
        return;
      }
      case 'change': {
        const changed = rules[one.which % Math.max(1, rules.length)];
        if (changed === undefined) return;
        const { ruleId, cycle } = changed;
        const next = this.#ruleOf(ruleId, cycle + 1, dapp, one.limit);
        this.#rules.set(
          dapp,
          rules.map((rule) => (rule === changed ? next : rule)),
        );
        return;
      }
      case 'remove':
        this.#rules.set(
          dapp,
          rules.filter((_, index) => index !== one.which),
        );
        return;
      case 'order':
        this.#rules.set(dapp, rules.toReversed());
    }
  }

  async #decide(wanted: Action & { kind: 'decide' }, dapp: string): Promise<void> {
    this.#number += 1;
    const [id, hash] = [`decision ${this.#number}`, `0x${this.#number.toString(16).padStart(64, '0')}` as Hex];
    const { cost, fails } = wanted;
    const [sender, person] = [SENDERS[wanted.sender]!, PERSONS[wanted.person]!];
    const store = this.#store(wanted);
    const rules = this.#rules.get(dapp) as unknown as Policy['rules'];
    const now = this.#clock.now();
    const policy = policyWith({ rules, dapp: { ...policyWith().dapp, paymasterId: dapp } });
    const facts = factsWith({ at: now, price: { usd: '2', source: 'feed' } });
    const subject = { id: person } as NonNullable<ReturnType<typeof ruleInputWith>['subject']>;
    const input = { ...ruleInputWith(policy, facts, sender, cost), subject };
    const reservations = spendingLimit.reserve!(input);
    const ledgerVersion = await store.ledgerVersion();
    let sponsored = false;
    const deciding = store.decideAndReserve({ reservations, ledgerVersion }, (held) => {
      sponsored = spendingLimit.check(input, held).every(({ outcome }) => outcome !== 'deny');
      const draft = {
        id: fails ? (this.made[0]?.id ?? id) : id,
        ...{ at: now, sender, paymasterId: dapp, dapp, validUntil: this.#number },
        ...({ outcome: sponsored ? 'sponsored' : 'denied', settlement: sponsored ? 'reserved' : null } as const),
        userOpHash: sponsored ? hash : null,
      } as const;
      return { decision: () => decision(draft), reserve: sponsored };
    });
    const isMade = await deciding.then(
      (record) => record !== undefined,
      (error: unknown) => {
        expect([fails, String(error)]).toEqual([true, expect.stringMatching(/unique|duplicate/i)]);
        return false;
      },
    );
    if (isMade && sponsored) this.made.push({ id, hash, sender, cost, reservations });
  }

  async #settle(one: Action & { kind: 'settle' }): Promise<void> {
    const target = this.made[one.which % Math.max(1, this.made.length)];
    if (target === undefined) return;
    this.#hasGivenBack = true;
    const mined = {
      ...{ userOpHash: target.hash, entryPoint: CONTRACT, paymaster: CONTRACT, sender: target.sender, nonce: 0n },
      ...{ success: true, actualGasCost: (target.cost * one.percent) / 100n, actualGasUsed: 1n },
      ...({ blockNumber: one.block, blockHash: '0x', transactionHash: '0x' } as const),
    };
    const range = { chainId: CHAIN, fromBlock: one.block, toBlock: one.block, cursor: one.block };
    await this.#store(one).applySettlements({ ...range, mined: [mined] });
  }

  async #kept(): Promise<Kept> {
    const kept: Kept = new Map();
    for (const { id, reservations } of this.made) {
      const stored = await this.#stores[0]!.findDecision(id);
      for (const reservation of reservations) {
        const actual = BigInt(stored?.actualCostWei ?? 0);
        const held = heldOnceSettled(reservation, stored!.settlement!, actual);
        const { account: key } = reservation;
        const before = kept.get(accountText(key))?.held ?? 0n;
        kept.set(accountText(key), { held: before + held, account: key });
      }
    }
    return kept;
  }

  async #compare(): Promise<void> {
    const kept = await this.#kept();
    const accounts = [...kept.values()].map(({ account: key }) => ({ account: key }));
    const expected = [...kept.values()].map(({ held }) => held);
    for (const store of this.#stores) expect(await store.heldOf(accounts)).toEqual(expected);
    const stored = await this.#stores[0]!.heldAccounts();
    const inTables = stored
      .filter(({ kind }) => kind === 'limit')
      .map(({ held, kind, ...key }) => [accountText({ ...key, kind: kind! }), held]);
    const inModel = [...kept].filter(([, { held }]) => held > 0n).map(([name, { held }]) => [name, String(held)]);
    expect(inTables.sort()).toEqual(inModel.sort());
    await this.#compareLimits(kept);
  }

  /** No window of a limit has more than the limit allows, and the console sees the users of the current one. */
  async #compareLimits(kept: Kept): Promise<void> {
    const limits = this.#all.map((rule) => {
      const threshold = thresholdUnits(rule.policyData);
      const id = `${rule.ruleId}:${rule.cycle}`;
      const own = [...kept.values()].filter(({ account: key }) => key.id === id);
      for (const { held } of own) expect(this.#hasGivenBack || held <= threshold).toBe(true);
      const { index } = windowAt(rule.policyData, this.#clock.now());
      const users = own.filter(
        ({ account: { window, user = '' }, held }) => window === index && user !== '' && held > 0n,
      );
      const atLimit = users.filter(({ held }) => held >= threshold).length;
      const { place } = limitAccount(rule, rule.paymasterId, index);
      return { query: { place, threshold, most: 100 }, expected: { users: users.length, atLimit } };
    });
    const found = await this.#stores[0]!.windowUsers(limits.map(({ query }) => query));
    expect(found).toMatchObject(limits.map(({ expected }) => expected));
  }
}

/** The rows of limits in every {@link Store}. @param engines how many use the database at once */
export const describeLimitRows = (open: OpenStore, engines: number): void => {
  const tempFolder = useTempFolders();

  it('no limit gives more than it has, whatever is added, changed, removed, settled and taken back at once', async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const folder = tempFolder();
        const run = new LimitsRun((clock) => open(folder, clock), engines);
        try {
          await run.setUp();
          for (const batch of all) await run.batch(batch);
          made += run.made.length;
        } finally {
          await run.close();
        }
      }),
      { numRuns: sized(80, 25), interruptAfterTimeLimit: PATIENCE_MS },
    );
    expect(made).toBeGreaterThan(100);
  });
};
