import type { AccountKey } from '../../../src/core/ledger/account.ts';
import type { Entry } from '../../../src/core/log/entry.ts';
import { SettlementCheck } from '../../../src/core/log/settlement-check.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MinedUserOperation } from '../../../src/engine/store/settlement-store.ts';
import type { SettlementStore } from '../../../src/engine/store/tables/settlements.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import type { Address, Hex } from '../../../src/shared/schema/hex.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MemorySettlementStore } from '../../support/memory-settlement-store.ts';
import { account, decision, paymaster } from '../../support/store-records.ts';
import { useTempFolders } from '../../support/temp-folder.ts';
import type { OpenStore } from './open-store.ts';
import { endExpired } from '../../support/end-expired.ts';

const CHAIN = 31337;
const ENTRY_POINT: Address = `0x${'e0'.repeat(20)}`;
const SENDER: Address = `0x${'ac'.repeat(20)}`;
const LIMIT: AccountKey = { kind: 'limit', id: 'limit', window: 0, place: { group: 'dapp', name: 'limit:0' } };
const MAX_COST = 100n;
/** How many of the newest blocks are reported again each time. */
const OVERLAP = 4;

const byte = (value: number): string => value.toString(16).padStart(2, '0');
const hashOf = (value: number): Hex => `0x${byte(value).repeat(32)}`;
const contractOf = (value: number): Address => `0x${byte(0xc0 + value).repeat(20)}`;

const slot = { nonce: fc.nat(2), contract: fc.nat(1) };
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('reserve' as const),
      ...slot,
      hash: fc.nat(5),
      validUntil: fc.constantFrom(0, 10, 20),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('mine' as const),
      which: fc.nat(9),
      how: fc.constantFrom('as it was', 'altered', 'hidden'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('take back' as const), blocks: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('tell' as const), atOnce: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('expire' as const), before: fc.constantFrom(5, 15, 25) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('end' as const),
      most: fc.integer({ min: 1, max: 3 }),
      to: fc.constantFrom('released', 'unconfirmed'),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A decision as it was reserved. */
interface ReservedDecision {
  readonly seq: number;
  readonly userOpHash: Hex;
  readonly paymaster: Address;
  readonly nonce: bigint;
}

class Story {
  readonly database: Store;
  readonly model = new MemorySettlementStore();
  readonly #reserved: ReservedDecision[] = [];
  /** What each block holds. */
  #blocks: (Omit<MinedUserOperation, 'blockNumber'> | undefined)[] = [undefined];
  #toldThrough = 0;
  #altered = 0;

  constructor(database: Store) {
    this.database = database;
  }

  async take(now: Step): Promise<void> {
    switch (now.does) {
      case 'reserve':
        return this.#reserve(now);
      case 'mine':
        this.#mine(now);
        return;
      case 'take back':
        // A re-org deeper than what is reported again is not noticed.
        if (this.#blocks.length - now.blocks < Math.max(1, this.#toldThrough - OVERLAP + 2)) return;
        this.#blocks.length -= now.blocks;
        return;
      case 'tell':
        return this.#tell(now.atOnce);
      case 'expire': {
        const expiry = { chainId: CHAIN, validUntilBefore: now.before, to: 'released' } as const;
        await this.#same((store) => endExpired(store, expiry));
        return;
      }
      case 'end': {
        const query = { chainId: CHAIN, after: { validUntil: 0, seq: 0 }, validUntilBefore: 1, most: now.most };
        const found = await this.#same(async (store) =>
          (await store.openReservations(query)).map(({ seq, nonce }) => ({ seq, nonce })),
        );
        const seqs = found.map(({ seq }) => seq);
        await this.#same((store) => store.endReservations(seqs, now.to));
      }
    }
  }

  async #same<T>(run: (store: SettlementStore) => Promise<T>): Promise<T> {
    const [one, two] = [await run(this.model), await run(this.database)];
    expect(two).toEqual(one);
    return one;
  }

  async #reserve({ nonce, contract, hash, validUntil }: Step & { does: 'reserve' }): Promise<void> {
    const by = contractOf(contract);
    // A hash stands for a sender, a nonce and a contract, too.
    const userOpHash = hashOf(hash + 8 * nonce + 32 * contract);
    const made = { chainId: CHAIN, entryPoint: ENTRY_POINT, sender: SENDER, userOpHash, validUntil, at: 1_000 };
    const reservation = { account: LIMIT, kind: 'spend', amount: MAX_COST } as const;
    const id = `decision ${this.#reserved.length}`;
    const draft = decision({ ...made, id, nonce: String(nonce), paymasterAndData: `${by}00` });
    const facts = { reservations: [reservation], ledgerVersion: await this.database.ledgerVersion() };
    const stored = await this.database.decideAndReserve(facts, () => ({ decision: () => draft, reserve: true }));
    this.model.reserve({ ...made, paymaster: by, nonce: BigInt(nonce), maxCost: MAX_COST }, stored!.seq);
    this.#reserved.push({ seq: stored!.seq, userOpHash, paymaster: by, nonce: BigInt(nonce) });
  }

  #mine({ which, how }: Step & { does: 'mine' }): void {
    const one = this.#reserved[which % this.#reserved.length];
    const isUsed = this.#blocks.some((block) => block?.nonce === one?.nonce);
    if (one === undefined || isUsed) return void this.#blocks.push(undefined);
    this.#altered += how === 'as it was' ? 0 : 1;
    const userOpHash = how === 'as it was' ? one.userOpHash : hashOf(128 + (this.#altered % 100));
    this.#blocks.push({
      userOpHash,
      entryPoint: ENTRY_POINT,
      paymaster: one.paymaster,
      sender: SENDER,
      nonce: one.nonce,
      success: true,
      actualGasCost: 7n,
      actualGasUsed: 1n,
      blockHash: '0x',
      transactionHash: '0x',
      sponsoredHashes: how === 'altered' ? [hashOf(255), one.userOpHash] : [],
    });
  }

  async #tell(atOnce: number): Promise<void> {
    const head = this.#blocks.length - 1;
    const before = this.#toldThrough;
    this.#toldThrough = head;
    for (let from = Math.max(0, Math.min(before, head) - OVERLAP + 1); from <= head; from += atOnce) {
      const to = Math.min(from + atOnce - 1, head);
      const toBlock = to === head ? Math.max(head, before) : to;
      const mined = this.#blocks
        .map((block, blockNumber) => block && { ...block, blockNumber })
        .filter((block) => block !== undefined)
        .filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to);
      await this.#same((store) => store.operationsWithoutDecision(CHAIN, mined));
      await this.#same((store) =>
        store.applySettlements({ chainId: CHAIN, fromBlock: from, toBlock, cursor: to, mined }),
      );
    }
  }

  async compare(): Promise<void> {
    const stored = (await this.database.listDecisions({ limit: 100 })).reverse();
    const ofModel = this.model.decisions.map(({ settlement, mined }) => {
      return [settlement, settlement === 'settled' ? String(mined?.actualGasCost) : null];
    });
    expect(stored.map(({ settlement, actualCostWei }) => [settlement, actualCostWei])).toEqual(ofModel);
    const held = await this.database.heldOf([{ account: LIMIT }]);
    expect(held).toEqual([this.model.reservedWei + this.model.spentWei]);
    await this.#same((store) => store.countUnmatched(CHAIN, 1_000));
  }

  /** What the log says became of the decisions is what an honest desk may say. */
  async verify(): Promise<void> {
    const check = new SettlementCheck();
    for (const { text } of await this.database.logLines({ from: 0, limit: 1_000 })) {
      const { kind, body } = JSON.parse(text) as Entry;
      if (kind === 'decision') check.add(body.id, String(MAX_COST), String(body['userOpHash']));
      if (kind === 'settlement') expect(check.settle(body)).toBeUndefined();
    }
  }
}

const minedAs = (userOpHash: Hex, blockNumber: number): MinedUserOperation => ({
  userOpHash,
  entryPoint: ENTRY_POINT,
  paymaster: contractOf(0),
  sender: SENDER,
  nonce: 0n,
  success: true,
  actualGasCost: 7n,
  actualGasUsed: 1n,
  blockNumber,
  blockHash: '0x',
  transactionHash: '0x',
});

/** What settlement does in every {@link Store}: the same as the model that the tests on a chain use, after the same reports. */
export const describeSettlementStore = (open: OpenStore): void => {
  const tempFolder = useTempFolders();

  test('the model and the database agree on every decision, however often blocks come, go and are reported again', async () => {
    const story = async (steps: Step[]): Promise<void> => {
      const database = await open(tempFolder(), new ManualClock());
      try {
        await database.createAccount(account);
        await database.createDapp(paymaster());
        const told = new Story(database);
        for (const now of steps) {
          await told.take(now);
          await told.compare();
        }
        await told.verify();
      } finally {
        await database.close();
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), story), {
      numRuns: 60,
    });
  });

  test('a decision does not wait until hundreds of others are settled or ended, all of which become so', async () => {
    const COUNT = 400;
    const store = await open(tempFolder(), new ManualClock());
    try {
      await store.createAccount(account);
      await store.createDapp(paymaster());
      const reservations = [{ account: LIMIT, kind: 'spend', amount: MAX_COST } as const];
      const facts = { reservations, ledgerVersion: await store.ledgerVersion() };
      const hash = (n: number): Hex => `0x${String(n).padStart(64, '0')}`;
      const reserve = (n: number) => {
        const paymasterAndData = `${contractOf(0)}00`;
        const draft = decision({
          id: `${n}`,
          entryPoint: ENTRY_POINT,
          sender: SENDER,
          userOpHash: hash(n),
          paymasterAndData,
        });
        return store.decideAndReserve(facts, () => ({ decision: () => draft, reserve: true }));
      };
      const made = await Promise.all(Array.from({ length: 2 * COUNT }, (_, n) => reserve(n)));
      const mined = Array.from({ length: COUNT }, (_, n) => minedAs(hash(n), 1 + Math.floor(n / 20)));
      const range = { chainId: CHAIN, fromBlock: 1, toBlock: 30, cursor: 30, mined };
      const settling = store.applySettlements(range);
      const meanwhile = await reserve(2 * COUNT);
      expect(await settling).toEqual({ putBack: 0, unmatched: [] });
      const ending = store.endReservations(
        made.slice(COUNT).map((one) => one!.seq),
        'released',
      );
      const later = await reserve(2 * COUNT + 1);
      expect(await ending).toBe(COUNT);

      expect(await store.heldOf([{ account: LIMIT }])).toEqual([7n * BigInt(COUNT) + 2n * MAX_COST]);
      expect((await store.settlementState(CHAIN)).cursor).toBe(30);
      const end = await store.logSize();
      const between = [meanwhile!.seq - made.at(-1)!.seq, later!.seq - meanwhile!.seq, end - later!.seq];
      for (const entries of between) expect(entries).toBeLessThan(1.7 * COUNT);
      expect(between[1]).toBeGreaterThan(COUNT / 4);
      expect(await store.applySettlements({ ...range, mined: mined.slice(20) })).toEqual({
        putBack: 20,
        unmatched: [],
      });
    } finally {
      await store.close();
    }
  });
};
