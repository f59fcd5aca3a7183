import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/engine/log.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/engine/store/store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { account, decision, paymaster } from '../support/store-records.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();

const openStore = (dir: string): Store =>
  openSqliteStore(join(dir, 'gasdesk.db'), { clock: new ManualClock(), log: createLog({ level: 'silent' }) });

const newStore = async (dir: string): Promise<Store> => {
  const store = openStore(dir);
  await store.createAccount(account);
  await store.createPaymaster(paymaster());
  return store;
};

/** Beyond 2^64: what a float or a 64-bit integer would lose is lost money. */
const ETHER = 10n ** 18n;
const TANK = '31337:0xpaymaster:0xwallet';
const claim = (amountWei: bigint, releaseAt: number, tankId = TANK) => ({ tankId, amountWei, releaseAt });

describe('deciding and reserving, step by step', () => {
  let dir: string;
  let store: Store;
  beforeEach(async () => {
    dir = tempFolder();
    store = await newStore(dir);
  });
  afterEach(() => store.close());

  let made = 0;
  const reserve = (amountWei: bigint, releaseAt: number, now: number) =>
    store.decideAndReserve(claim(amountWei, releaseAt), now, () => ({
      decision: decision({ id: `d${(made += 1)}` }),
      reserve: true,
    }));
  /** What a decision at `now` would be told; it decides nothing. */
  const promisedAt = async (now: number, tankId = TANK): Promise<bigint> => {
    let told = -1n;
    const peek = new Error('only looking');
    await store
      .decideAndReserve(claim(0n, 0, tankId), now, (promised) => {
        told = promised;
        throw peek;
      })
      .catch((error: unknown) => {
        if (error !== peek) throw error;
      });
    return told;
  };

  it('adds promises up to the last wei', async () => {
    await reserve(123_456_789n * ETHER + 1n, 100, 0);
    await reserve(2n ** 130n + 3n, 100, 0);
    expect(await promisedAt(0)).toBe(123_456_789n * ETHER + 2n ** 130n + 4n);
  });

  it('holds a promise until its very last millisecond, and then gives it back once', async () => {
    await reserve(5n, 100, 0);
    expect(await promisedAt(99)).toBe(5n);
    expect(await promisedAt(100)).toBe(0n);
    const released = await reserve(7n, 200, 100);
    expect(await promisedAt(100)).toBe(7n);
    expect(await promisedAt(150)).toBe(7n);
    expect((await store.listDecisions({ limit: 9, before: released.seq }))[0]?.settlement).toBe('released');
  });

  it('keeps the tanks apart', async () => {
    await reserve(5n, 100, 0);
    expect(await promisedAt(0, 'another tank')).toBe(0n);
  });

  it('promises nothing for a decision that does not reserve', async () => {
    await store.decideAndReserve(claim(5n, 100), 0, () => ({
      decision: decision({ id: 'denied', outcome: 'denied', settlement: null }),
      reserve: false,
    }));
    expect(await promisedAt(0)).toBe(0n);
    expect((await store.findDecision('denied'))?.settlement).toBeNull();
  });

  it('writes neither decision nor promise when deciding fails', async () => {
    await reserve(5n, 100, 0);
    const failing = store.decideAndReserve(claim(5n, 100), 150, () => {
      throw new Error('the rule has a bug');
    });
    await expect(failing).rejects.toThrow('the rule has a bug');
    expect(await store.countDecisions()).toBe(1);
    // Not even the promise that was past its time is touched: it goes with the next decision.
    expect((await store.listDecisions({ limit: 1 }))[0]?.settlement).toBe('reserved');
    expect(await promisedAt(0)).toBe(5n);
  });

  it('writes neither decision nor promise when the decision cannot be stored', async () => {
    const first = await reserve(5n, 100, 0);
    const unstorable = [decision({ id: first.id }), decision({ id: 'stray', paymasterId: 'nobody' })];
    for (const draft of unstorable) {
      await expect(
        store.decideAndReserve(claim(7n, 100), 0, () => ({ decision: draft, reserve: true })),
      ).rejects.toThrow();
    }
    expect(await store.countDecisions()).toBe(1);
    expect(await promisedAt(0)).toBe(5n);
  });

  it('still knows what it promised after a restart', async () => {
    await reserve(2n ** 80n + 1n, 100, 0);
    await store.close();
    store = openStore(dir);
    expect(await promisedAt(99)).toBe(2n ** 80n + 1n);
    expect(await promisedAt(100)).toBe(0n);
  });
});

/** A request for sponsorship. */
interface Request {
  tank: number;
  amountWei: bigint;
  /** Milliseconds until the promise is given back. */
  life: number;
  /** True if deciding throws. */
  fails: boolean;
}

/** Requests that come at the same time. */
interface Batch {
  requests: Request[];
  /** Milliseconds since the batch before. */
  after: number;
  restart: boolean;
}

const BALANCE = 2n ** 91n;

const batches: fc.Arbitrary<Batch[]> = fc.array(
  fc.record({
    requests: fc.array(
      fc.record({
        tank: fc.nat(1),
        amountWei: fc.bigInt(1n, 2n ** 90n),
        life: fc.nat(600),
        fails: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    after: fc.nat(400),
    restart: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 8 },
);

/** What the store must remember of a decision that reserved. */
interface Reservation {
  readonly tankId: string;
  readonly amountWei: bigint;
  readonly releaseAt: number;
  settlement: 'reserved' | 'released';
}

describe('deciding and reserving, whatever comes at the same time', () => {
  it('never promises more than a tank holds, and gives every promise back exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (run) => {
        const dir = tempFolder();
        let store = await newStore(dir);
        const reservations = new Map<string, Reservation>();
        const held = (tankId: string, now: number) =>
          [...reservations.values()].filter(
            (one) => one.tankId === tankId && one.settlement === 'reserved' && one.releaseAt > now,
          );
        let now = 0;
        let count = 0;

        const request = async ({ tank, amountWei, life, fails }: Request): Promise<void> => {
          const tankId = `tank ${tank}`;
          const id = `decision ${(count += 1)}`;
          const releaseAt = now + life;
          const deciding = store.decideAndReserve(claim(amountWei, releaseAt, tankId), now, (promised) => {
            const live = held(tankId, now);
            expect(promised).toBe(live.reduce((sum, one) => sum + one.amountWei, 0n));
            expect(promised).toBeLessThanOrEqual(BALANCE);
            if (fails) throw new Error('deciding failed');
            for (const one of reservations.values())
              if (one.tankId === tankId && !live.includes(one)) one.settlement = 'released';
            const fits = promised + amountWei <= BALANCE;
            if (fits) reservations.set(id, { tankId, amountWei, releaseAt, settlement: 'reserved' });
            return {
              decision: decision({ id, outcome: fits ? 'sponsored' : 'denied', settlement: fits ? 'reserved' : null }),
              reserve: fits,
            };
          });
          if (fails) await expect(deciding).rejects.toThrow('deciding failed');
          else expect((await deciding).id).toBe(id);
        };

        try {
          for (const { requests, after, restart } of run) {
            now += after;
            if (restart) {
              await store.close();
              store = openStore(dir);
            }
            await Promise.all(requests.map(request));
          }
          const concluded = run.flatMap(({ requests }) => requests).filter(({ fails }) => !fails).length;
          expect(await store.countDecisions()).toBe(concluded);
          for (const { id, settlement } of await store.listDecisions({ limit: 1000 })) {
            expect(settlement).toBe(reservations.get(id)?.settlement ?? null);
          }
        } finally {
          await store.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
