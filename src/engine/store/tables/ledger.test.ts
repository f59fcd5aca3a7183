import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import type { Reservation } from '../../../core/ledger/account.ts';
import type { StoredReservation } from '../reserves.ts';
import { stepsOf } from '../rows.ts';
import { type SqliteDatabase, openDatabase } from '../sqlite/open.ts';
import { runSteps, statementsOf } from '../sqlite/rows.ts';
import { createLedger } from './ledger.ts';

const tempFolder = useTempFolders();
let database: SqliteDatabase;
beforeEach(() => {
  database = openDatabase(join(tempFolder(), 'gasdesk.db'));
  database.pragma('foreign_keys = OFF');
});

const USERS = ['0xaa', '0xbb', '0xcc'];
const reservation = (user: string, amount: bigint): Reservation => ({
  account: { kind: 'limit', id: 'rule:0', window: 0, user },
  kind: 'spend',
  amount,
});
const stored = (): unknown[] => database.prepare('SELECT user, held FROM ledger_account ORDER BY user').raw().all();

test.each([1, 100_000])(
  'accounts hold the same in memory and in the table, whether %i may be in memory',
  (maxCached) => {
    const ledger = createLedger({ accounts: 0 }, maxCached);
    const rows = stepsOf(statementsOf(database));
    const held = (): bigint[] => {
      const asked = USERS.map((user) => reservation(user, 0n));
      runSteps(ledger.load(rows, asked));
      return asked.map(ledger.heldOf);
    };
    let last: StoredReservation[] = [];
    for (const seq of [1, 2, 3, 4, 5]) {
      const taken = USERS.map((user, index) => reservation(user, BigInt(seq * 10 + index)));
      database.transaction(() => {
        const before = last;
        runSteps(ledger.load(rows, taken));
        last = ledger.reserve(taken);
        const halves = before.map(({ accountId, reserved }) => [accountId, reserved / 2n - reserved] as const);
        runSteps(ledger.adjust(rows, halves));
        runSteps(ledger.save(rows));
      })();
    }
    // For each user, half of the first four amounts, rounded down, and the whole fifth: 5 + 10 + 15 + 20 + 50 for the first user.
    expect(held()).toEqual([100n, 101n, 106n]);
    expect(stored()).toEqual(USERS.map((user, index) => [user, String(held()[index])]));
  },
);
