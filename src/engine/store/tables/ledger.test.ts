import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import type { AccountKey, Reservation } from '../../../core/ledger/account.ts';
import type { StoredReservation } from '../reserves.ts';
import { type StepRows, stepsOf } from '../rows.ts';
import { type SqliteDatabase, openDatabase } from '../sqlite/open.ts';
import { runSteps, statementsOf } from '../sqlite/rows.ts';
import { type Ledger, createLedger } from './ledger.ts';

const tempFolder = useTempFolders();
let database: SqliteDatabase;
beforeEach(() => {
  database = openDatabase(join(tempFolder(), 'gasdesk.db'));
  database.pragma('foreign_keys = OFF');
});

const USERS = ['0xaa', '0xbb', '0xcc'];
const stored = (sql: string): unknown[] => database.prepare(sql).raw().all();

/** Each user's accounts in one row. */
const together = (user: string): AccountKey[] =>
  ['rule:0:0', 'other:0:0'].map((name) => ({
    ...({ kind: 'limit', id: name, user } as const),
    place: { group: 'dapp', name },
  }));
const apart = (user: string): AccountKey[] =>
  ['rule:0', 'other:0'].map((id) => ({ kind: 'limit', id, window: 0, user }));

const OF_USERS = ['100', '101', '106'];

test.each([
  [1, apart],
  [1e9, apart],
  [1, together],
  [1e9, together],
])('accounts hold the same in memory and in their tables, with %i bytes in memory, %o', (maxBytes, accountsOf) => {
  const ledger = createLedger({ accounts: 0 }, maxBytes);
  const rows = stepsOf(statementsOf(database));
  const reservations = (amountOf: (user: number) => bigint): Reservation[] =>
    USERS.flatMap((user, index) =>
      accountsOf(user).map((account) => ({ account, kind: 'spend' as const, amount: amountOf(index) })),
    );
  let last: StoredReservation[] = [];
  for (const seq of [1, 2, 3, 4, 5]) {
    const taken = reservations((index) => BigInt(seq * 10 + index));
    database.transaction(() => {
      const before = last;
      runSteps(ledger.load(rows, taken));
      last = ledger.reserve(taken);
      const halves = before.map(({ reserved, ...account }) => ({ ...account, amount: reserved / 2n - reserved }));
      runSteps(ledger.adjust(rows, halves));
      runSteps(ledger.save(rows));
    })();
  }
  const asked = reservations(() => 0n);
  runSteps(ledger.load(rows, asked));
  // For each user, half of the first four amounts, rounded down, and the whole fifth: 5 + 10 + 15 + 20 + 50 for the first user.
  expect(asked.map(ledger.heldOf)).toEqual(OF_USERS.flatMap((held) => [BigInt(held), BigInt(held)]));
  if (accountsOf === together) {
    expect(stored('SELECT user, held FROM limit_row ORDER BY user')).toEqual(
      USERS.map((user, index) => [user, `${OF_USERS[index]},${OF_USERS[index]}`]),
    );
    expect(stored('SELECT name, limits FROM limit_group')).toEqual([['dapp', '["rule:0:0","other:0:0"]']]);
  } else {
    expect(stored(`SELECT user, held FROM ledger_account WHERE id = 'rule:0' ORDER BY user`)).toEqual(
      USERS.map((user, index) => [user, OF_USERS[index]]),
    );
  }
});

test('a limit that is new finds its amounts after those of the limits before it', () => {
  const rows = stepsOf(statementsOf(database));
  const [first, second] = together('0xaa').map((account) => ({ account, kind: 'count' as const, amount: 1n }));
  for (const [accounts, taken] of [[0, [first!]] as const, [2, [second!, first!]] as const]) {
    const ledger = createLedger({ accounts });
    database.transaction(() => {
      runSteps(ledger.load(rows, taken));
      ledger.reserve(taken);
      runSteps(ledger.save(rows));
    })();
  }
  expect(stored('SELECT limits, held FROM limit_row JOIN limit_group USING (group_id)')).toEqual([
    ['["rule:0:0","other:0:0"]', '2,1'],
  ]);
});

describe('of many accounts, the first ones do not stay in memory:', () => {
  const hourly = (window: number): AccountKey => {
    const place = { group: `dapp 3600000 ${window}`, name: `rule:0:${window}` };
    return { kind: 'limit', id: 'rule:0', window, place };
  };
  const count = (account: AccountKey) => ({ account, kind: 'count', amount: 1n }) as const;
  type Use = (ledger: Ledger, rows: StepRows, taken: readonly Reservation[]) => void;
  const reserve: Use = (ledger, rows, taken) =>
    database.transaction(() => {
      runSteps(ledger.load(rows, taken));
      ledger.reserve(taken);
      runSteps(ledger.save(rows));
    })();
  const deny: Use = (ledger, rows, taken) => {
    runSteps(ledger.load(rows, taken));
    runSteps(ledger.save(rows));
  };
  const ask: Use = (ledger, rows, taken) => {
    runSteps(ledger.load(rows, taken));
    ledger.endReading();
  };
  const ofUser = (user: number): AccountKey[] => together(`0x${user}`);

  test.each<[name: string, accountsOf: (number: number) => AccountKey[], use: Use]>([
    ['users of limits', ofUser, reserve],
    ['users without a sponsored operation', ofUser, deny],
    ['users whose allowance was asked for', ofUser, ask],
    ['windows of a limit', (window) => [hourly(window)], reserve],
  ])('%s', (_, accountsOf, use) => {
    const statements = statementsOf(database);
    let reads = 0;
    const findMany: typeof statements.findMany = (...read) => {
      reads += 1;
      return statements.findMany(...read);
    };
    const rows = stepsOf({ ...statements, findMany });
    const ledger = createLedger({ accounts: 0 }, 40_000);
    const readsOf = (number: number): number => {
      const before = reads;
      use(ledger, rows, accountsOf(number).map(count));
      return reads - before;
    };
    reserve(ledger, rows, accountsOf(0).map(count));
    for (let number = 1; number <= 20; number += 1) readsOf(number);
    expect(readsOf(1)).toBe(0);
    for (let number = 1; number <= 150; number += 1) readsOf(number);
    expect(readsOf(1)).toBeGreaterThan(0);
  });
});
