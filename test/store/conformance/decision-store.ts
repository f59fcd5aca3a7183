import { describe, expect, it } from 'vitest';
import type { AccountKey, Reservation, ReservationKind } from '../../../src/core/ledger/account.ts';
import type { MinedUserOperation } from '../../../src/engine/store/settlement-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import type { DecisionRecord } from '../../../src/shared/schema/decision.ts';
import type { Hex } from '../../../src/shared/schema/hex.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { decision, withdrawal } from '../../support/store-records.ts';
import { type OpenStore, useStore } from './open-store.ts';
import { endExpired } from '../../support/end-expired.ts';

/** What every {@link Store} does, and settlement with what it has reserved. */
export const describeDecisionStore = (open: OpenStore): void => {
  let store: Store;
  let clock: ManualClock;
  const reopen = useStore(open, (opened, itsClock) => {
    store = opened;
    clock = itsClock;
  });

  /** Beyond 2^64: what a float or a 64-bit integer would lose is lost money. */
  const ETHER = 10n ** 18n;
  const CHAIN = 31337;
  const TANK: AccountKey = { kind: 'tank', id: 'a' };
  const limit = (id: string): AccountKey => ({
    kind: 'limit',
    id,
    window: 0,
    place: { group: 'dapp', name: `${id}:0` },
  });
  const take = (amount: bigint, account = TANK, kind: ReservationKind = 'tank'): Reservation => ({
    account,
    kind,
    amount,
  });

  let made = 0;
  /** Sponsors an operation that reserves these. */
  const reserve = async (
    reservations: readonly Reservation[],
    fields: Parameters<typeof decision>[0] = {},
  ): Promise<DecisionRecord> => {
    made += 1;
    const draft = decision({ id: `d${made}`, userOpHash: `0x${made.toString(16).padStart(64, '0')}`, ...fields });
    const record = await store.decideAndReserve({ reservations, ledgerVersion: await store.ledgerVersion() }, () => ({
      decision: () => draft,
      reserve: true,
    }));
    if (record === undefined) throw new Error('nothing was settled meanwhile');
    return record;
  };
  const held = async (): Promise<bigint> => (await store.heldOf([{ account: TANK }]))[0]!;

  /** Reports to the store that an operation was mined, and answers how many decisions the store has put back. */
  const mine = async (
    { userOpHash, entryPoint, paymasterAndData, sender, nonce }: DecisionRecord,
    actualGasCost: bigint,
    blockNumber = 5,
    sponsoredHashes: readonly Hex[] = [],
    blocks: { fromBlock: number; toBlock: number } = { fromBlock: blockNumber, toBlock: blockNumber },
  ): Promise<number> => {
    const slot = { entryPoint, paymaster: paymasterAndData.slice(0, 42), sender, nonce: BigInt(nonce) };
    const cost = { success: true, actualGasCost, actualGasUsed: 1n };
    const place = { blockNumber, blockHash: '0x', transactionHash: '0x' };
    const mined = [{ userOpHash, ...slot, ...cost, ...place, sponsoredHashes } as MinedUserOperation];
    const range = { chainId: CHAIN, ...blocks, cursor: blockNumber, mined };
    return (await store.applySettlements(range)).putBack;
  };
  const settlementOf = async ({ id }: DecisionRecord): Promise<unknown> => {
    const found = await store.findDecision(id);
    return [found?.settlement, found?.actualCostWei];
  };

  describe('deciding and reserving', () => {
    it('adds up to the last wei', async () => {
      await reserve([take(123_456_789n * ETHER + 1n)]);
      await reserve([take(2n ** 130n + 3n)]);
      expect(await held()).toBe(123_456_789n * ETHER + 2n ** 130n + 4n);
    });

    it('keeps accounts apart, and takes from all that a decision reserves in', async () => {
      const otherTank: AccountKey = { kind: 'tank', id: 'b' };
      await reserve([take(5n), take(1n, limit('x'), 'count'), take(5n, limit('y'), 'spend')]);
      await reserve([take(6n, otherTank), take(1n, limit('x'), 'count')]);
      const accounts = [TANK, otherTank, limit('x'), limit('y'), limit('z')];
      expect(await store.heldOf(accounts.map((account) => ({ account })))).toEqual([5n, 6n, 2n, 5n, 0n]);
    });

    it('gives each decision the holds of those before it, however many come at once', async () => {
      const seen: bigint[] = [];
      const decisions = Array.from({ length: 50 }, (_, index) =>
        store.decideAndReserve({ reservations: [take(3n)], ledgerVersion: 0 }, ([reserved]) => {
          seen.push(reserved!);
          return { decision: () => decision({ id: `at once ${index}` }), reserve: true };
        }),
      );
      const seqs = (await Promise.all(decisions)).map((record) => record?.seq);
      expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => 3n * BigInt(index)));
      expect(seqs).toEqual(Array.from({ length: 50 }, (_, index) => (seqs[0] ?? 0) + index));
    });

    it('holds nothing for a decision that does not reserve', async () => {
      await store.decideAndReserve({ reservations: [take(5n)], ledgerVersion: 0 }, () => ({
        decision: () => decision({ id: 'denied', outcome: 'denied', settlement: null }),
        reserve: false,
      }));
      expect(await held()).toBe(0n);
      expect((await store.findDecision('denied'))?.settlement).toBeNull();
    });

    it('knows whether others have an account of a kind and id, once that is stored and for good', async () => {
      const [one, other] = ['a', 'b'].map((user): AccountKey => ({ kind: 'sender', id: 'tank', user }));
      const hasOther = () => Promise.all([store.hasOtherAccount(one!), store.hasOtherAccount(other!)]);
      expect(await hasOther()).toEqual([false, false]);
      await reserve([take(1n, one)]);
      expect(await hasOther()).toEqual([false, true]);
      await expect(reserve([take(1n, other), take(1n, other)])).rejects.toThrow('twice in one account');
      expect(await hasOther()).toEqual([false, true]);
      await reserve([take(1n, other)]);
      expect(await hasOther()).toEqual([true, true]);
      await reopen();
      expect(await hasOther()).toEqual([true, true]);
    });

    it('writes neither decision nor reservation when deciding fails, and the decisions next to it stay', async () => {
      const failing = store.decideAndReserve({ reservations: [take(7n)], ledgerVersion: 0 }, () => {
        throw new Error('the rule has a bug');
      });
      const beside = reserve([take(5n)]);
      await expect(failing).rejects.toThrow('the rule has a bug');
      await beside;
      expect([await store.countDecisions(), await held()]).toEqual([1, 5n]);
    });

    it('decides all that come at once before it asks for the first decision, and stores them in the same order', async () => {
      const seen: string[] = [];
      const names = ['a', 'b', 'c'];
      const decisions = names.map((name) =>
        store.decideAndReserve({ reservations: [take(3n)], ledgerVersion: 0 }, () => {
          seen.push(`decide ${name}`);
          return {
            decision() {
              seen.push(`store ${name}`);
              return decision({ id: name });
            },
            reserve: true,
          };
        }),
      );
      const seqs = (await Promise.all(decisions)).map((record) => record?.seq);
      expect(seen).toEqual([...names.map((name) => `decide ${name}`), ...names.map((name) => `store ${name}`)]);
      expect(seqs).toEqual([0, 1, 2].map((index) => (seqs[0] ?? 0) + index));
    });

    it('stores all decisions before a hold that comes after them, and the hold before later ones', async () => {
      const facts = { reservations: [take(3n)], ledgerVersion: 0 };
      const seen: (bigint | string | undefined)[] = [];
      const decide = (id: string) =>
        store.decideAndReserve(facts, ([taken]) => {
          seen.push(taken);
          return {
            decision() {
              seen.push(id);
              return decision({ id });
            },
            reserve: true,
          };
        });
      const hold = () =>
        store.withHold(
          facts,
          ([taken]) => seen.push('hold', taken),
          () => Promise.resolve(),
        );
      await Promise.all([decide('a'), hold(), decide('b')]);
      expect(seen).toEqual([0n, 'a', 'hold', 3n, 6n, 'b']);
    });

    it('writes neither decision nor reservation when making the decision fails, and the decisions next to it stay', async () => {
      const failing = store.decideAndReserve({ reservations: [take(7n)], ledgerVersion: 0 }, () => ({
        decision: () => {
          throw new Error('the key is invalid');
        },
        reserve: true,
      }));
      const [error] = await Promise.all([failing.catch(String), reserve([take(5n)]), reserve([take(6n)])]);
      expect(error).toContain('the key is invalid');
      expect([await store.countDecisions(), await held()]).toEqual([2, 11n]);
      await reserve([take(1n)]);
      expect(await held()).toBe(12n);
    });

    it('decides nothing on settings that a decision of the same commit has changed by a pause', async () => {
      const scope = { paymasterId: 'p', chainId: CHAIN };
      const settings = { scope, version: await store.settingsVersion(scope) };
      const facts = { reservations: [], ledgerVersion: 0, settings };
      const decide = (id: string, reason?: string) => {
        const pauseChain = reason === undefined ? undefined : { chainId: CHAIN, since: 1, reason };
        return store.decideAndReserve(facts, () => ({ decision: () => decision({ id }), reserve: false, pauseChain }));
      };
      const decided = await Promise.all([decide('a'), decide('b', 'too fast'), decide('c')]);
      expect(decided.map((one) => one?.id)).toEqual(['a', 'b', undefined]);
    });

    it('writes neither decision nor reservation when the decision or a reservation cannot be stored', async () => {
      const { id } = await reserve([take(5n)]);
      await expect(reserve([take(7n)], { id })).rejects.toThrow(/unique/i);
      await expect(reserve([take(7n)], { paymasterId: 'nobody' })).rejects.toThrow(/foreign key/i);
      await expect(reserve([take(7n), take(7n)])).rejects.toThrow('twice in one account');
      expect([await store.countDecisions(), await held()]).toEqual([1, 5n]);
    });

    it('decides nothing on a balance that was read before a tank got something back', async () => {
      const paid = await reserve([take(5n)]);
      const ledgerVersion = await store.ledgerVersion();
      await mine(paid, 2n);
      const conclude = () => ({ decision: () => decision({ id: 'on stale facts' }), reserve: true });
      expect(await store.decideAndReserve({ reservations: [take(9n)], ledgerVersion }, conclude)).toBeUndefined();
      expect([await store.countDecisions(), await held()]).toEqual([1, 0n]);
      const facts = { reservations: [take(9n)], ledgerVersion: await store.ledgerVersion() };
      expect(await store.decideAndReserve(facts, conclude)).toMatchObject({ id: 'on stale facts' });
    });

    it('decides nothing on a balance that was read before a withdrawal was recorded', async () => {
      const facts = { reservations: [take(9n)], ledgerVersion: await store.ledgerVersion() };
      await store.saveOperatorTransaction(withdrawal());
      const conclude = () => ({ decision: () => decision({ id: 'late' }), reserve: true });
      expect(await store.decideAndReserve(facts, conclude)).toBeUndefined();
      expect(
        await store.withHold(
          facts,
          () => undefined,
          () => Promise.resolve('ran'),
        ),
      ).toBeUndefined();
      expect(await held()).toBe(0n);
    });

    it('never gives to decisions and withdrawals together more than there is, whichever come first', async () => {
      const balance = 100n;
      let leaving = 0n;
      const room = (taken: bigint | undefined, amount: bigint): boolean => balance - leaving - (taken ?? 0n) >= amount;
      const decide = async (id: string): Promise<void> => {
        for (;;) {
          const facts = { reservations: [take(7n)], ledgerVersion: await store.ledgerVersion() };
          const decided = await store.decideAndReserve(facts, ([taken]) => ({
            decision: () => decision({ id, userOpHash: null }),
            reserve: room(taken, 7n),
          }));
          if (decided !== undefined) return;
        }
      };
      const withdraw = async (transactionId: string): Promise<void> => {
        const check = ([taken]: readonly bigint[]) => {
          if (!room(taken, 11n)) throw new Error('not free');
        };
        const send = async () => {
          await new Promise(setImmediate);
          await store.saveOperatorTransaction(withdrawal(transactionId));
          leaving += 11n;
          return 'sent';
        };
        for (;;) {
          const facts = { reservations: [take(11n)], ledgerVersion: await store.ledgerVersion() };
          if ((await store.withHold(facts, check, send)) !== undefined) return;
        }
      };
      const all = Array.from({ length: 40 }, (_, index) =>
        index % 8 === 0 ? withdraw(`w${index}`).catch(() => undefined) : decide(`o${index}`),
      );
      await Promise.all(all);
      const reserved = await held();
      expect(reserved).toBeGreaterThan(0n);
      expect(leaving).toBeGreaterThan(0n);
      expect(reserved + leaving).toBeLessThanOrEqual(balance);
      expect(balance - reserved - leaving).toBeLessThan(7n);
    });

    it('holds nothing any more for a withdrawal that came to nothing, and never counts it twice', async () => {
      await reserve([take(5n)]);
      const facts = { reservations: [take(20n)], ledgerVersion: await store.ledgerVersion() };
      const refused = store.withHold(
        facts,
        () => undefined,
        async () => {
          await reserve([take(3n)]);
          expect(await held()).toBe(28n);
          throw new Error('refused');
        },
      );
      await expect(refused).rejects.toThrow('refused');
      expect(await held()).toBe(8n);
    });

    it('records a withdrawal only while that is held which it was promised', async () => {
      const facts = { reservations: [take(20n)], ledgerVersion: await store.ledgerVersion() };
      const holds = await store.withHold(
        facts,
        () => undefined,
        async (promised) => {
          expect(await store.saveOperatorTransaction(withdrawal('held'), promised)).toBe(true);
          return promised;
        },
      );
      expect(holds).toHaveLength(1);
      expect(await store.saveOperatorTransaction(withdrawal('late'), holds)).toBe(false);
      expect(await store.listOperatorTransactions({})).toMatchObject([{ transactionId: 'held' }]);
    });

    it('holds nothing for a withdrawal whose process died with it, and still knows what else it holds', async () => {
      await reserve([take(5n)]);
      const facts = { reservations: [take(20n)], ledgerVersion: await store.ledgerVersion() };
      const held20 = Promise.withResolvers<undefined>();
      void store.withHold(
        facts,
        () => undefined,
        () => {
          held20.resolve(undefined);
          return new Promise(() => undefined);
        },
      );
      await held20.promise;
      expect(await held()).toBe(25n);
      await reopen();
      expect(await held()).toBe(5n);
    });

    it('enters no decision in the log before the one that it follows, though the clock is set back', async () => {
      await reserve([take(1n)]);
      clock.setBack(60_000);
      await reserve([take(1n)]);
      const lines = await store.logLines({ from: 0, limit: 100 });
      const times = lines.map(({ text }) => (JSON.parse(text) as { at: number }).at);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
    });

    it('still knows what it holds after a restart', async () => {
      await reserve([take(2n ** 80n + 1n)]);
      await reopen();
      expect(await held()).toBe(2n ** 80n + 1n);
    });
  });

  describe('what a decision holds, once its operation', () => {
    const accounts = [TANK, limit('ops'), limit('wei')];
    const all = (amount: bigint): Reservation[] => [
      take(amount),
      take(1n, limit('ops'), 'count'),
      take(amount, limit('wei'), 'spend'),
    ];
    const holdings = (): Promise<bigint[]> => store.heldOf(accounts.map((account) => ({ account })));
    const expire = (to: 'released' | 'unconfirmed', validUntilBefore = 21): Promise<number> =>
      endExpired(store, { chainId: CHAIN, validUntilBefore, to });

    it('is mined: the tank has paid, the operation counts, and so does what it really cost', async () => {
      const record = await reserve(all(100n));
      await mine(record, 42n);
      expect(await holdings()).toEqual([0n, 1n, 42n]);
      expect(await settlementOf(record)).toEqual(['settled', '42']);
      await mine(record, 42n);
      expect(await holdings()).toEqual([0n, 1n, 42n]);
    });

    it('was mined in a block that is gone: everything is reserved again, at its maximum', async () => {
      const record = await reserve(all(100n));
      await mine(record, 42n, 5);
      const range = { chainId: CHAIN, fromBlock: 4, toBlock: 6, mined: [], cursor: 3 };
      expect((await store.applySettlements({ ...range, chainId: 1 })).putBack).toBe(0);
      expect((await store.applySettlements(range)).putBack).toBe(1);
      expect(await holdings()).toEqual([100n, 1n, 100n]);
      expect(await settlementOf(record)).toEqual(['reserved', null]);
      expect((await store.applySettlements(range)).putBack).toBe(0);
    });

    it('can no longer be mined: everything is given back, to the window that it was taken from', async () => {
      const record = await reserve(all(100n));
      expect(await expire('released', 20)).toBe(0);
      expect(await expire('released')).toBe(1);
      expect(await holdings()).toEqual([0n, 0n, 0n]);
      expect(await settlementOf(record)).toEqual(['released', null]);
      expect(await expire('released')).toBe(0);
    });

    it('cannot be looked up: it counts as spent', async () => {
      const record = await reserve(all(100n));
      await expire('unconfirmed');
      expect(await holdings()).toEqual([0n, 1n, 100n]);
      expect(await settlementOf(record)).toEqual(['unconfirmed', null]);
    });

    it.each(['released', 'unconfirmed'] as const)(
      'is mined after it was %s: what the chain says counts',
      async (to) => {
        const record = await reserve(all(100n));
        await expire(to);
        await mine(record, 42n);
        expect(await holdings()).toEqual([0n, 1n, 42n]);
        expect(await settlementOf(record)).toEqual(['settled', '42']);
      },
    );

    it('has no end: it stays reserved', async () => {
      const record = await reserve(all(100n), { validUntil: 0 });
      expect(await expire('released', 2 ** 40)).toBe(0);
      expect(await settlementOf(record)).toEqual(['reserved', null]);
    });

    it('was sponsored twice in one second: one of both is settled, the other one is not', async () => {
      const hash = { userOpHash: `0x${'5a'.repeat(32)}` };
      const [first, second] = [await reserve(all(100n), hash), await reserve(all(100n), hash)];
      for (const block of [5, 5, 6]) await mine(second, 42n, block);
      expect(await settlementOf(first)).toEqual(['settled', '42']);
      expect(await settlementOf(second)).toEqual(['reserved', null]);
      expect(await holdings()).toEqual([100n, 2n, 142n]);
    });

    describe('is mined under another hash, by which it was altered', () => {
      const otherHash: Hex = `0x${'99'.repeat(32)}`;
      const paymasterAndData = `0x${'cC'.repeat(20)}${'00'.repeat(32)}`;
      const range = { chainId: CHAIN, fromBlock: 7, toBlock: 7, cursor: 7, mined: [] };

      it('it is settled where its own hash was found in the transaction, and no other of its sender and nonce', async () => {
        const [cheap, dear] = [
          await reserve(all(1n), { paymasterAndData }),
          await reserve(all(100n), { paymasterAndData }),
        ];
        await mine({ ...dear, userOpHash: otherHash }, 42n, 5, [`0x${'00'.repeat(32)}`, dear.userOpHash as Hex]);
        expect(await settlementOf(dear)).toEqual(['settled', '42']);
        expect(await settlementOf(cheap)).toEqual(['reserved', null]);
        expect(await holdings()).toEqual([1n, 2n, 43n]);
        expect(await store.listDecisions({ userOpHash: otherHash, limit: 9 })).toMatchObject([{ id: dear.id }]);
      });

      it('it is settled so also after it was released', async () => {
        const record = await reserve(all(100n), { paymasterAndData });
        await expire('released');
        await mine({ ...record, userOpHash: otherHash }, 42n, 5, [record.userOpHash as Hex]);
        expect(await settlementOf(record)).toEqual(['settled', '42']);
        expect(await holdings()).toEqual([0n, 1n, 42n]);
      });

      it('and a re-org moves it, takes it back or replaces it: it follows', async () => {
        const record = await reserve(all(100n), { paymasterAndData });
        const mined = { ...record, userOpHash: otherHash };
        const own = [record.userOpHash as Hex];
        expect(await mine(mined, 42n, 7, own)).toBe(0);
        expect(await mine(mined, 42n, 7)).toBe(0);
        // Seen in its new block before the one is read where it used to be.
        await mine(mined, 43n, 6);
        expect((await store.applySettlements(range)).putBack).toBe(0);
        expect(await settlementOf(record)).toEqual(['settled', '43']);
        expect(await mine({ ...record, userOpHash: `0x${'98'.repeat(32)}` }, 44n, 6, own)).toBe(0);
        expect(await settlementOf(record)).toEqual(['settled', '44']);
        expect(await mine(record, 45n, 6)).toBe(0);
        expect(await settlementOf(record)).toEqual(['settled', '45']);
        expect((await store.applySettlements({ ...range, fromBlock: 6 })).putBack).toBe(1);
        expect(await holdings()).toEqual([100n, 1n, 100n]);
        await expire('released');
        await mine(mined, 42n);
        expect(await settlementOf(record)).toEqual(['settled', '42']);
      });

      it('if it cannot be identified, all candidates of its sender and nonce count at their maximum, for good', async () => {
        const records = [await reserve(all(1n), { paymasterAndData }), await reserve(all(100n), { paymasterAndData })];
        await mine({ ...records[1]!, userOpHash: otherHash }, 42n);
        await expire('released');
        for (const record of records) expect(await settlementOf(record)).toEqual(['unconfirmed', null]);
        expect(await holdings()).toEqual([0n, 2n, 101n]);
        await reopen();
        await mine({ ...records[1]!, userOpHash: otherHash }, 42n);
        expect(await holdings()).toEqual([0n, 2n, 101n]);
      });

      it('such an operation is reported once, not when its block is read again', async () => {
        const { sender, nonce, entryPoint } = await reserve(all(100n), { paymasterAndData });
        const slot = { sender, nonce: BigInt(nonce), entryPoint, paymaster: paymasterAndData.slice(0, 42) };
        const cost = { success: true, actualGasCost: 1n, actualGasUsed: 1n };
        const place = { blockNumber: 7, blockHash: '0x', transactionHash: '0x' };
        const mined = [{ userOpHash: otherHash, ...slot, ...cost, ...place } as MinedUserOperation];
        const applied = { putBack: 0, unmatched: [{ mined: mined[0], decisions: 1 }] };
        expect(await store.applySettlements({ ...range, mined })).toEqual(applied);
        expect(await store.applySettlements({ ...range, mined })).toEqual({ putBack: 0, unmatched: [] });
      });

      it('and a re-org moves that one, takes it back or replaces it: all follow', async () => {
        const records = [await reserve(all(1n), { paymasterAndData }), await reserve(all(100n), { paymasterAndData })];
        const settlements = async () =>
          (await Promise.all(records.map(settlementOf))).map((one) => (one as string[])[0]);
        const unknown = { ...records[0]!, userOpHash: otherHash };
        await mine(unknown, 42n, 7);
        // Seen in its new block before the one is read where it used to be.
        await mine(unknown, 42n, 6);
        expect((await store.applySettlements(range)).putBack).toBe(0);
        expect(await settlements()).toEqual(['unconfirmed', 'unconfirmed']);
        // Another one in its place, which is known.
        expect(await mine(records[1]!, 43n, 6)).toBe(1);
        expect(await settlements()).toEqual(['reserved', 'settled']);
        expect(await holdings()).toEqual([1n, 2n, 44n]);
        // And back again.
        expect(await mine(unknown, 42n, 6)).toBe(0);
        expect(await settlements()).toEqual(['unconfirmed', 'unconfirmed']);
        expect((await store.applySettlements({ ...range, fromBlock: 6 })).putBack).toBe(2);
        expect(await settlements()).toEqual(['reserved', 'reserved']);
        expect(await holdings()).toEqual([101n, 2n, 101n]);
        await expire('released');
        expect(await holdings()).toEqual([0n, 0n, 0n]);
      });

      it.each([
        ['account', { sender: `0x${'dd'.repeat(20)}` }],
        ['nonce', { nonce: '1' }],
        ['paymaster', { paymasterAndData: `0x${'dd'.repeat(20)}` }],
        ['EntryPoint', { entryPoint: `0x${'dd'.repeat(20)}` }],
      ])('but not where it is of another %s', async (_what, other) => {
        const record = await reserve(all(100n), { paymasterAndData });
        await mine({ ...record, userOpHash: otherHash, ...other }, 42n);
        expect(await settlementOf(record)).toEqual(['reserved', null]);
      });
    });

    describe('is still open', () => {
      const start = { validUntil: 0, seq: 0 };

      it('it is found in the order in which they expire, a few at a time, and not where it is over', async () => {
        const endless = await reserve(all(1n), { validUntil: 0, at: 1_000 });
        const late = await reserve(all(1n), { validUntil: 30 });
        const early = await reserve(all(1n), { validUntil: 20 });
        const settled = await reserve(all(1n), { validUntil: 20 });
        await mine(settled, 1n);
        await reserve(all(1n), { validUntil: 20, chainId: 5 });
        const last = await reserve(all(1n), { validUntil: 20 });
        const found = [endless, early, last, late].map(({ seq, at, validUntil, sender, entryPoint, nonce }) => {
          return { seq, at, validUntil: validUntil ?? 0, sender, entryPoint, nonce: BigInt(nonce) };
        });
        const query = { chainId: CHAIN, after: start, validUntilBefore: 31, most: 9 };
        expect(await store.openReservations(query)).toEqual(found);
        expect(await store.openReservations({ ...query, most: 2 })).toEqual(found.slice(0, 2));
        expect(await store.openReservations({ ...query, after: found[1]! })).toEqual(found.slice(2));
        expect(await store.openReservations({ ...query, validUntilBefore: 30 })).toEqual(found.slice(0, 3));
        expect(await store.openReservations({ ...query, validUntilBefore: 1 })).toEqual(found.slice(0, 1));
      });

      it.each(['released', 'unconfirmed'] as const)(
        'it is %s on command, unless it was mined meanwhile',
        async (to) => {
          const [unused, mined] = [await reserve(all(100n)), await reserve(all(100n))];
          await mine(mined, 42n);
          expect(await store.endReservations([unused.seq, mined.seq], to)).toBe(1);
          expect(await settlementOf(unused)).toEqual([to, null]);
          expect(await settlementOf(mined)).toEqual(['settled', '42']);
        },
      );
    });

    it('is reported by itself, in a range without blocks: it is settled, and nothing else is taken back', async () => {
      const [before, record] = [await reserve(all(100n)), await reserve(all(100n))];
      await mine(before, 42n, 5);
      await mine(record, 41n, 5, [], { fromBlock: 6, toBlock: 5 });
      expect(await settlementOf(record)).toEqual(['settled', '41']);
      expect(await settlementOf(before)).toEqual(['settled', '42']);
    });

    it('matches no decision: nothing changes', async () => {
      const record = await reserve(all(100n));
      await mine({ ...record, userOpHash: `0x${'99'.repeat(32)}`, nonce: '3' }, 42n);
      await store.applySettlements({ chainId: 1, fromBlock: 5, toBlock: 5, cursor: 5, mined: [] });
      expect(await holdings()).toEqual([100n, 1n, 100n]);
    });
  });
};
