import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/engine/log.ts';
import type { MinedUserOperation } from '../../src/engine/store/settlement-store.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { Claim, ClaimKind, Store } from '../../src/engine/store/store.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { account, decision, paymaster, withdrawal } from '../support/store-records.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
let dir: string;
let store: Store;

const openStore = (): Store =>
  openSqliteStore(join(dir, 'gasdesk.db'), { clock: new ManualClock(), log: createLog({ level: 'silent' }) });

beforeEach(async () => {
  dir = tempFolder();
  store = openStore();
  await store.createAccount(account);
  await store.createPaymaster(paymaster());
});
afterEach(() => store.close());

/** Beyond 2^64: what a float or a 64-bit integer would lose is lost money. */
const ETHER = 10n ** 18n;
const CHAIN = 31337;
const claim = (amount: bigint, key = 'tank:a', kind: ClaimKind = 'tank'): Claim => ({
  key,
  kind,
  amount,
});

let made = 0;
/** Sponsors an operation that takes these claims. */
const reserve = async (
  claims: readonly Claim[],
  fields: Parameters<typeof decision>[0] = {},
): Promise<DecisionRecord> => {
  made += 1;
  const draft = decision({ id: `d${made}`, userOpHash: `0x${made.toString(16).padStart(64, '0')}`, ...fields });
  const record = await store.decideAndReserve({ claims, settlements: await store.settlements() }, () => ({
    decision: draft,
    reserve: true,
  }));
  if (record === undefined) throw new Error('nothing was settled meanwhile');
  return record;
};
const held = async (key = 'tank:a'): Promise<bigint> => (await store.heldOf([claim(0n, key)]))[0]!;

/** Tells the store that an operation was mined. */
const mine = (
  { userOpHash, entryPoint, paymasterAndData, sender, nonce }: DecisionRecord,
  actualGasCost: bigint,
  blockNumber = 5,
): Promise<number> => {
  const slot = { entryPoint, paymaster: paymasterAndData.slice(0, 42), sender, nonce: BigInt(nonce) };
  const cost = { success: true, actualGasCost, actualGasUsed: 1n };
  const place = { blockNumber, blockHash: '0x', transactionHash: '0x' };
  const mined = [{ userOpHash, ...slot, ...cost, ...place } as MinedUserOperation];
  return store.applySettlements({
    chainId: CHAIN,
    fromBlock: blockNumber,
    toBlock: blockNumber,
    cursor: blockNumber,
    mined,
  });
};
const settlementOf = async ({ id }: DecisionRecord): Promise<unknown> => {
  const found = await store.findDecision(id);
  return [found?.settlement, found?.actualCostWei];
};

describe('deciding and reserving', () => {
  it('adds up to the last wei', async () => {
    await reserve([claim(123_456_789n * ETHER + 1n)]);
    await reserve([claim(2n ** 130n + 3n)]);
    expect(await held()).toBe(123_456_789n * ETHER + 2n ** 130n + 4n);
  });

  it('keeps accounts apart, and takes from all that a decision claims from', async () => {
    await reserve([claim(5n), claim(1n, 'limit:x', 'count'), claim(5n, 'limit:y', 'spend')]);
    await reserve([claim(6n, 'tank:b'), claim(1n, 'limit:x', 'count')]);
    const keys = ['tank:a', 'tank:b', 'limit:x', 'limit:y', 'limit:z'];
    expect(await store.heldOf(keys.map((key) => claim(0n, key)))).toEqual([5n, 6n, 2n, 5n, 0n]);
  });

  it('tells each decision what those before it hold, however many come at once', async () => {
    const seen: bigint[] = [];
    const decisions = Array.from({ length: 50 }, (_, index) =>
      store.decideAndReserve({ claims: [claim(3n)], settlements: 0 }, ([promised]) => {
        seen.push(promised!);
        return { decision: decision({ id: `at once ${index}` }), reserve: true };
      }),
    );
    const seqs = (await Promise.all(decisions)).map((record) => record?.seq);
    expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => 3n * BigInt(index)));
    expect(seqs).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('holds nothing for a decision that does not reserve', async () => {
    await store.decideAndReserve({ claims: [claim(5n)], settlements: 0 }, () => ({
      decision: decision({ id: 'denied', outcome: 'denied', settlement: null }),
      reserve: false,
    }));
    expect(await held()).toBe(0n);
    expect((await store.findDecision('denied'))?.settlement).toBeNull();
  });

  it('writes neither decision nor claim when deciding fails, and the decisions beside it stand', async () => {
    const failing = store.decideAndReserve({ claims: [claim(7n)], settlements: 0 }, () => {
      throw new Error('the rule has a bug');
    });
    const beside = reserve([claim(5n)]);
    await expect(failing).rejects.toThrow('the rule has a bug');
    await beside;
    expect([await store.countDecisions(), await held()]).toEqual([1, 5n]);
  });

  it('writes neither decision nor claim when the decision or a claim cannot be stored', async () => {
    const { id } = await reserve([claim(5n)]);
    await expect(reserve([claim(7n)], { id })).rejects.toThrow('UNIQUE');
    await expect(reserve([claim(7n)], { paymasterId: 'nobody' })).rejects.toThrow('FOREIGN KEY');
    await expect(reserve([claim(7n), claim(7n)])).rejects.toThrow('UNIQUE');
    expect([await store.countDecisions(), await held()]).toEqual([1, 5n]);
  });

  it('decides nothing on a balance that was read before a tank got something back', async () => {
    const paid = await reserve([claim(5n)]);
    const settlements = await store.settlements();
    await mine(paid, 2n);
    const conclude = () => ({ decision: decision({ id: 'on stale facts' }), reserve: true });
    expect(await store.decideAndReserve({ claims: [claim(9n)], settlements }, conclude)).toBeUndefined();
    expect([await store.countDecisions(), await held()]).toEqual([1, 0n]);
    const facts = { claims: [claim(9n)], settlements: await store.settlements() };
    expect(await store.decideAndReserve(facts, conclude)).toMatchObject({ id: 'on stale facts' });
  });

  it('decides nothing on a balance that was read before a withdrawal was recorded', async () => {
    const facts = { claims: [claim(9n)], settlements: await store.settlements() };
    await store.saveOperatorTransaction(withdrawal());
    const conclude = () => ({ decision: decision({ id: 'late' }), reserve: true });
    expect(await store.decideAndReserve(facts, conclude)).toBeUndefined();
    expect(
      await store.holdWhile(
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
        const facts = { claims: [claim(7n)], settlements: await store.settlements() };
        const decided = await store.decideAndReserve(facts, ([taken]) => ({
          decision: decision({ id, userOpHash: null }),
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
        const facts = { claims: [claim(11n)], settlements: await store.settlements() };
        if ((await store.holdWhile(facts, check, send)) !== undefined) return;
      }
    };
    const all = Array.from({ length: 40 }, (_, index) =>
      index % 8 === 0 ? withdraw(`w${index}`).catch(() => undefined) : decide(`o${index}`),
    );
    await Promise.all(all);
    const promised = await held();
    expect(promised).toBeGreaterThan(0n);
    expect(leaving).toBeGreaterThan(0n);
    expect(promised + leaving).toBeLessThanOrEqual(balance);
    expect(balance - promised - leaving).toBeLessThan(7n);
  });

  it('holds nothing any more for a withdrawal that came to nothing, and never counts it twice', async () => {
    await reserve([claim(5n)]);
    const facts = { claims: [claim(20n)], settlements: await store.settlements() };
    const refused = store.holdWhile(
      facts,
      () => undefined,
      async () => {
        await reserve([claim(3n)]);
        expect(await held()).toBe(28n);
        throw new Error('refused');
      },
    );
    await expect(refused).rejects.toThrow('refused');
    expect(await held()).toBe(8n);
  });

  it('still knows what it holds after a restart', async () => {
    await reserve([claim(2n ** 80n + 1n)]);
    await store.close();
    store = openStore();
    expect(await held()).toBe(2n ** 80n + 1n);
  });
});

describe('what a decision holds, once its operation', () => {
  const keys = ['tank:a', 'limit:ops', 'limit:wei'];
  const all = (amount: bigint): Claim[] => [
    claim(amount),
    claim(1n, 'limit:ops', 'count'),
    claim(amount, 'limit:wei', 'spend'),
  ];
  const holdings = (): Promise<bigint[]> => store.heldOf(keys.map((key) => claim(0n, key)));
  const expire = (to: 'released' | 'unconfirmed', validUntilBefore = 21): Promise<number> =>
    store.expireReservations({ chainId: CHAIN, validUntilBefore, to });

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
    expect(await store.applySettlements({ ...range, chainId: 1 })).toBe(0);
    expect(await store.applySettlements(range)).toBe(1);
    expect(await holdings()).toEqual([100n, 1n, 100n]);
    expect(await settlementOf(record)).toEqual(['reserved', null]);
    expect(await store.applySettlements(range)).toBe(0);
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

  it.each(['released', 'unconfirmed'] as const)('is mined after it was %s: what the chain says counts', async (to) => {
    const record = await reserve(all(100n));
    await expire(to);
    await mine(record, 42n);
    expect(await holdings()).toEqual([0n, 1n, 42n]);
    expect(await settlementOf(record)).toEqual(['settled', '42']);
  });

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

  describe('is mined under another hash, as an EIP-7702 account can by naming another delegate', () => {
    const otherHash = { userOpHash: `0x${'99'.repeat(32)}` };
    const paymasterAndData = `0x${'cC'.repeat(20)}${'00'.repeat(32)}`;

    it('it counts all the same, or limits could be evaded', async () => {
      const record = await reserve(all(100n), { paymasterAndData });
      await mine({ ...record, ...otherHash }, 42n);
      expect(await settlementOf(record)).toEqual(['settled', '42']);
      expect(await holdings()).toEqual([0n, 1n, 42n]);
      await expire('released');
      expect(await holdings()).toEqual([0n, 1n, 42n]);
    });

    it('and a re-org moves it, takes it back or replaces it: it follows', async () => {
      const record = await reserve(all(100n), { paymasterAndData });
      const mined = { ...record, ...otherHash };
      expect(await mine(mined, 42n, 7)).toBe(0);
      expect(await mine(mined, 42n, 7)).toBe(0);
      // Seen in its new block before the one is read where it used to be.
      await mine(mined, 43n, 6);
      const range = { chainId: CHAIN, fromBlock: 7, toBlock: 7, cursor: 7, mined: [] };
      expect(await store.applySettlements(range)).toBe(0);
      expect(await settlementOf(record)).toEqual(['settled', '43']);
      expect(await mine({ ...record, userOpHash: `0x${'98'.repeat(32)}` }, 44n, 6)).toBe(1);
      expect(await settlementOf(record)).toEqual(['settled', '44']);
      expect(await mine(record, 45n, 6)).toBe(0);
      expect(await settlementOf(record)).toEqual(['settled', '45']);
      expect(await store.applySettlements({ ...range, fromBlock: 6 })).toBe(1);
      expect(await holdings()).toEqual([100n, 1n, 100n]);
      await expire('released');
      await mine(mined, 42n);
      expect(await settlementOf(record)).toEqual(['settled', '42']);
    });

    it('it settles the oldest sponsorship of that nonce, and no other one', async () => {
      const records = [await reserve(all(100n), { paymasterAndData }), await reserve(all(100n), { paymasterAndData })];
      await mine({ ...records[1]!, ...otherHash }, 42n);
      expect(await Promise.all(records.map(settlementOf))).toEqual([
        ['settled', '42'],
        ['reserved', null],
      ]);
    });

    it.each([
      ['account', { sender: `0x${'dd'.repeat(20)}` }],
      ['nonce', { nonce: '1' }],
      ['paymaster', { paymasterAndData: `0x${'dd'.repeat(20)}` }],
      ['EntryPoint', { entryPoint: `0x${'dd'.repeat(20)}` }],
    ])('but not where it is of another %s', async (_what, other) => {
      const record = await reserve(all(100n), { paymasterAndData });
      await mine({ ...record, ...otherHash, ...other }, 42n);
      expect(await settlementOf(record)).toEqual(['reserved', null]);
    });
  });

  it('is of nobody here: nothing changes', async () => {
    const record = await reserve(all(100n));
    await mine({ ...record, userOpHash: `0x${'99'.repeat(32)}`, nonce: '3' }, 42n);
    await store.applySettlements({ chainId: 1, fromBlock: 5, toBlock: 5, cursor: 5, mined: [] });
    expect(await holdings()).toEqual([100n, 1n, 100n]);
  });
});
