import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Policy } from '../../../src/core/policy/policy.ts';
import { gasTank } from '../../../src/core/rules/gas-tank.ts';
import { rulesOf } from '../../../src/core/rules/rule.ts';
import { type SpendingLimit, limitSetup, spendingLimit } from '../../../src/core/rules/spending-limit/index.ts';
import type { Rule } from '../../../src/engine/store/policy-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import type { Address, Hex } from '../../../src/shared/schema/hex.ts';
import { factsWith, policyWith, ruleInputWith } from '../../support/facts.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { account, decision, paymaster } from '../../support/store-records.ts';
import { LedgerModel, type ModelDecision, type ModelLimit, amountOf, thresholdOf } from './ledger-model.ts';
import { useTempFolders } from '../../support/temp-folder.ts';
import type { OpenStore } from './open-store.ts';
import { sized } from '../../support/combinations.ts';

const CHAIN = 31337;
const HOUR = 3_600_000;
const BALANCE = 2n ** 91n;
const START = Date.UTC(2026, 0, 1);
const SENDERS: readonly Address[] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`, `0x${'c3'.repeat(20)}`];
const CONTRACT: Address = `0x${'cc'.repeat(20)}`;

/** What the limits and the gas tank say of an operation of that cost. */
const ledgerOf = (
  rules: Policy['rules'],
  { sender, cost, price: usd }: Pick<ModelDecision, 'sender' | 'cost' | 'price'>,
  now: number,
) => {
  const price = usd === null ? { usd, error: 'the feed is silent' } : { usd, source: 'feed' as const };
  const chain = { balanceWei: String(BALANCE), pendingWithdrawalsWei: '0', baseFeeWei: '0', l1DataGas: '0' };
  const input = ruleInputWith(policyWith({ rules }), factsWith({ at: now, chain, price }), sender, cost);
  const limits = spendingLimit.reserve!(input);
  const [tank] = gasTank.reserve!(input);
  return {
    reservations: [...limits, tank!],
    isDenied: (held: readonly bigint[]): boolean =>
      [...spendingLimit.check(input, held), ...gasTank.check(input, held.slice(limits.length))].some(
        ({ outcome }) => outcome === 'deny',
      ),
  };
};

/** What can happen to a desk, at once with whatever else is in the same batch. */
type Action =
  | { kind: 'decide'; sender: number; cost: bigint; price: string | null; life: number; fails: boolean }
  | { kind: 'settle'; which: number; percent: bigint; block: number }
  | { kind: 'reorg'; from: number; depth: number }
  | { kind: 'expire'; to: 'released' | 'unconfirmed' }
  | { kind: 'update'; rule: number; threshold: string }
  | { kind: 'pause'; rule: number; active: boolean };

interface Batch {
  actions: Action[];
  /** Milliseconds since the batch before; negative where the clock was set back. */
  after: number;
  restart: boolean;
}

/** Mostly false. */
const rarely = fc.nat(7).map((n) => n === 0);
const costs = fc.oneof(
  fc.bigInt(0n, 10n),
  fc.constantFrom(10n ** 17n, 10n ** 17n + 1n, 10n ** 17n - 1n, 3n * 10n ** 17n),
  fc.bigInt(0n, 2n ** 90n),
);
const thresholds = fc.constantFrom('1', '2', '3', '0.1', '0.3', '0.000000000000000001', '0.000000000000000007', '900');
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      sender: fc.nat(SENDERS.length - 1),
      cost: costs,
      price: fc.constantFrom(null, '1', '0.0001', '3000.12345678', '2999.999999999999999999'),
      life: fc.nat(7_200),
      fails: rarely,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(50),
      percent: fc.bigInt(0n, 100n),
      block: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reorg' as const), from: fc.nat(20), depth: fc.nat(12) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('expire' as const), to: fc.constantFrom('released', 'unconfirmed') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('update' as const), rule: fc.nat(6), threshold: thresholds }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), rule: fc.nat(6), active: fc.boolean() }) },
);
const batches: fc.Arbitrary<Batch[]> = fc.array(
  fc.record({
    actions: fc.array(action, { minLength: 1, maxLength: 8 }),
    after: fc.oneof(fc.nat(2 * HOUR), fc.constantFrom(0, 1, HOUR, HOUR - 1, -1, -HOUR, -30 * HOUR)),
    restart: rarely,
  }),
  { minLength: 1, maxLength: 12 },
);

const limitOf = (
  type: SpendingLimit['type'],
  thresholdType: SpendingLimit['thresholdType'],
  threshold: string,
  unit: 'hour' | 'lifetime' = 'hour',
): SpendingLimit => ({
  type,
  thresholdType,
  threshold,
  cycleDuration: { value: 1, unit },
  startTimeInEpoch: START,
  ...(unit === 'hour' && { durationInMs: HOUR }),
});

const firstLimits: readonly SpendingLimit[] = [
  limitOf('PAYMASTER', 'COUNT', '5'),
  limitOf('SMART_ACCOUNT', 'COUNT', '2'),
  limitOf('PAYMASTER', 'NATIVE_ASSET', '900000000'),
  limitOf('SMART_ACCOUNT', 'NATIVE_ASSET', '0.3'),
  limitOf('SMART_ACCOUNT', 'COUNT', '9', 'lifetime'),
  limitOf('PAYMASTER', 'USD', '900', 'lifetime'),
  limitOf('SMART_ACCOUNT', 'USD', '300'),
];

/** What a write does to the model. */
interface Effect {
  apply: (model: LedgerModel) => void;
  /** Whether the write takes back or settles, and the store has not answered yet. */
  isPending: boolean;
}

/**
 * The order in which a store makes writes that are handed over at once: as they are handed over, or any, in which case
 * some order has to explain what each decision saw.
 */
export type WriteOrder = 'as handed over' | 'any';

/**
 * What one poller brings, whose writes wait for each other. If two of them settled an operation at once, nothing would
 * show which of their costs was written last.
 */
const FROM_CHAIN: ReadonlySet<Action['kind']> = new Set(['settle', 'reorg', 'expire']);

const sameAmounts = (one: readonly bigint[], other: readonly bigint[]): boolean => one.join() === other.join();

/** A store, and next to it the model of what must be in it. */
class LedgerRun {
  readonly #openStore: (clock: ManualClock) => Promise<Store>;
  readonly #order: WriteOrder;
  readonly #clock = new ManualClock(START);
  /** What each write did, in the order in which the store made them. */
  readonly #effects: Effect[] = [];
  #store!: Store;
  #made = 0;

  constructor(openStore: (clock: ManualClock) => Promise<Store>, order: WriteOrder) {
    this.#openStore = openStore;
    this.#order = order;
  }

  #open(): Promise<Store> {
    return this.#openStore(this.#clock);
  }

  async setUp(): Promise<void> {
    this.#store = await this.#open();
    await this.#store.createAccount(account);
    await this.#store.createDapp(paymaster());
    for (const [index, policyData] of firstLimits.entries()) {
      const rule = { ruleId: `limit-${index}`, name: `Limit ${index}`, paymasterId: 'dapp-1', active: true, cycle: 0 };
      await this.#store.createRule({ ...rule, policyType: 'PAYMASTER_SA_LIMIT', policyData });
    }
  }

  async batch({ actions, after, restart }: Batch): Promise<void> {
    await this.#clock.advance(after);
    if (restart) {
      await this.#store.close();
      this.#store = await this.#open();
    }
    const isInTurn = ({ kind }: Action): boolean => this.#order === 'any' && FROM_CHAIN.has(kind);
    const inTurn = async (): Promise<void> => {
      for (const one of actions.filter(isInTurn)) await this.#act(one);
    };
    await Promise.all([inTurn(), ...actions.filter((one) => !isInTurn(one)).map((one) => this.#act(one))]);
    await this.#compare();
  }

  /** What must be in the store after these writes. */
  model(effects: readonly Effect[] = this.#effects): LedgerModel {
    const model = new LedgerModel();
    for (const effect of effects) effect.apply(model);
    return model;
  }

  /** Hands a write over that takes back or settles. */
  async #write(apply: Effect['apply'], write: () => Promise<unknown>): Promise<void> {
    const effect = { apply, isPending: true };
    this.#effects.push(effect);
    await write();
    effect.isPending = false;
  }

  /** What must be in the store before a decision, which finds the model right that `isRight` accepts. */
  #modelBefore(decision: Effect, isRight: (model: LedgerModel) => boolean): LedgerModel {
    const before = this.#effects.slice(0, this.#effects.indexOf(decision));
    const pending = this.#order === 'any' ? before.filter(({ isPending }) => isPending) : [];
    for (let choice = 1; choice < 2 ** pending.length && !isRight(this.model(before)); choice += 1) {
      const later = pending.filter((_, index) => (choice >> index) & 1);
      const earlier = before.filter((effect) => !later.includes(effect));
      if (!isRight(this.model(earlier))) continue;
      this.#effects.splice(0, before.length + 1, ...earlier, decision, ...later);
      return this.model(earlier);
    }
    return this.model(before);
  }

  async #act(one: Action): Promise<void> {
    switch (one.kind) {
      case 'decide':
        return this.#decide(one);
      case 'settle':
        return this.#settle(one);
      case 'reorg': {
        const range = { fromBlock: one.from, toBlock: one.from + one.depth };
        return this.#write(
          (model) => model.reorg(range.fromBlock, range.toBlock),
          () => this.#store.applySettlements({ chainId: CHAIN, ...range, mined: [], cursor: one.from }),
        );
      }
      case 'expire':
        return this.#expire(one.to);
      case 'update': {
        const rule = firstLimits[one.rule]!;
        const isWhole = !one.threshold.includes('.');
        const thresholdType = isWhole || rule.thresholdType === 'USD' ? rule.thresholdType : 'NATIVE_ASSET';
        const limit = { ...rule, thresholdType, threshold: one.threshold, startTimeInEpoch: this.#clock.now() };
        await this.#store.updateRule('dapp-1', `limit-${one.rule}`, {
          name: `Limit ${one.rule}`,
          policyData: limit,
          restarts: true,
        });
        return;
      }
      case 'pause':
        await this.#store.setRuleActive('dapp-1', `limit-${one.rule}`, one.active);
    }
  }

  async #expire(to: 'released' | 'unconfirmed'): Promise<void> {
    const validUntilBefore = Math.floor(this.#clock.now() / 1000) - 120;
    const query = { chainId: CHAIN, after: { validUntil: 0, seq: 0 }, validUntilBefore, most: 100 };
    const seqs = new Set((await this.#store.openReservations(query)).map(({ seq }) => seq));
    const all = await this.#store.listDecisions({ limit: 100 });
    const ids = all.filter(({ seq }) => seqs.has(seq)).map(({ id }) => id);
    await this.#write(
      (model) => model.end(ids, to),
      () => this.#store.endReservations([...seqs], to),
    );
  }

  async #decide(wanted: Action & { kind: 'decide' }): Promise<void> {
    this.#made += 1;
    const [id, hash] = [`decision ${this.#made}`, `0x${this.#made.toString(16).padStart(64, '0')}`];
    const { cost, price, fails } = wanted;
    const sender = SENDERS[wanted.sender]!;
    for (let attempt = 1; ; attempt += 1) {
      const ledgerVersion = await this.#store.ledgerVersion();
      const policy = await this.#store.dappPolicy('dapp-1');
      const now = this.#clock.now();
      const ledger = ledgerOf(policy.rules, { sender, cost, price }, now);
      const limits: ModelLimit[] = rulesOf(limitSetup, policy.rules)
        .filter(({ active }) => active)
        .map(({ ruleId, cycle, policyData }) => ({ ruleId, cycle, limit: policyData }));
      const validUntil = Math.floor(now / 1000) + wanted.life;

      const effect: Effect = { apply: () => undefined, isPending: false };
      this.#effects.push(effect);
      const deciding = this.#store.decideAndReserve({ reservations: ledger.reservations, ledgerVersion }, (held) => {
        const heldIn = (model: LedgerModel): bigint[] => [
          ...limits.map((limit) => model.used(limit, sender, now)),
          model.reserved(),
        ];
        const model = this.#modelBefore(effect, (candidate) => sameAmounts(heldIn(candidate), held));
        expect(held).toEqual(heldIn(model));
        const used = heldIn(model);
        if (fails) throw new Error('deciding failed');
        const sponsored = !ledger.isDenied(held);
        const fits = limits.every(
          ({ limit }, index) => used[index]! + amountOf(limit, { cost, price }) <= thresholdOf(limit),
        );
        const isPriced = price !== null || limits.every(({ limit }) => limit.thresholdType !== 'USD');
        expect(sponsored).toBe(fits && isPriced && model.reserved() + cost <= BALANCE);
        const made: ModelDecision = {
          id,
          hash,
          sender,
          cost,
          price,
          at: now,
          validUntil,
          limits,
          settlement: 'reserved',
        };
        effect.apply = ({ decisions }) => {
          if (sponsored) decisions.push({ ...made });
        };
        const outcome = sponsored ? 'sponsored' : 'denied';
        const settlement = sponsored ? 'reserved' : null;
        const draft = {
          id,
          at: now,
          sender,
          outcome,
          userOpHash: sponsored ? hash : null,
          validUntil,
          settlement,
          // No operation counts more when it is settled.
          maxCostWei: String(cost),
        } as const;
        return { decision: () => decision(draft), reserve: sponsored };
      });
      if (fails && attempt === 1) {
        // Stale facts are found out before anything is decided.
        const end = await deciding.catch((error: unknown) => String(error));
        expect([undefined, 'Error: deciding failed']).toContain(end);
        return;
      }
      if ((await deciding) !== undefined) return;
      // As often as something is settled at the same time, and no more.
      expect(attempt).toBeLessThan(10);
    }
  }

  async #settle({ which, percent, block }: Action & { kind: 'settle' }): Promise<void> {
    const known = this.model().decisions;
    const target = known[which % Math.max(1, known.length)];
    if (target === undefined) return;
    const actualGasCost = (target.cost * percent) / 100n;
    const mined = {
      userOpHash: target.hash as Hex,
      entryPoint: CONTRACT,
      paymaster: CONTRACT,
      sender: target.sender,
      nonce: 0n,
      success: true,
      actualGasCost,
      actualGasUsed: 1n,
      blockNumber: block,
      blockHash: '0x',
      transactionHash: '0x',
    } as const;
    const range = { chainId: CHAIN, fromBlock: block, toBlock: block, cursor: block };
    await this.#write(
      (model) => {
        // The range is this one block, with this one operation in it: whatever else was there is gone.
        model.reorg(block, block);
        model.settle(target.id, actualGasCost, block);
      },
      () => this.#store.applySettlements({ ...range, mined: [mined] }),
    );
  }

  /** Every account that was ever reserved in holds what the model says, and every decision stands as it should. */
  async #compare(): Promise<void> {
    const model = this.model();
    for (const made of model.decisions) {
      const { id, limits, sender, at, settlement, actual } = made;
      const rules = limits.map(({ ruleId, cycle, limit }): Rule => ({
        ruleId,
        cycle,
        paymasterId: 'dapp-1',
        name: ruleId,
        active: true,
        policyType: 'PAYMASTER_SA_LIMIT',
        policyData: limit,
      }));
      const held = await this.#store.heldOf(ledgerOf(rules, made, at).reservations);
      const used = limits.map((limit) => model.used(limit, sender, at));
      expect(held).toEqual([...used, model.reserved()]);
      expect(held.every((amount) => amount >= 0n)).toBe(true);
      const stored = await this.#store.findDecision(id);
      expect([stored?.settlement, stored?.actualCostWei]).toEqual([settlement, actual?.toString() ?? null]);
    }
  }

  async end(): Promise<void> {
    expect(await this.#store.integrityFaults()).toEqual([]);
    await this.#store.close();
  }
}

/** What every {@link Store} holds of limits and tanks, whatever happens at once. */
export const describeLedger = (open: OpenStore, order: WriteOrder): void => {
  const tempFolder = useTempFolders();

  it('no limit and no tank gives more than it has, whatever is decided, mined, taken back and changed at once', async () => {
    let approved = 0;
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const folder = tempFolder();
        const run = new LedgerRun((clock) => open(folder, clock), order);
        try {
          await run.setUp();
          for (const batch of all) await run.batch(batch);
          approved += run.model().decisions.length;
        } finally {
          await run.end();
        }
      }),
      // A failure is reported with an example, however long it takes to reduce.
      { numRuns: sized(120, 40), interruptAfterTimeLimit: PATIENCE_MS },
    );
    expect(approved).toBeGreaterThan(100);
  });
};
