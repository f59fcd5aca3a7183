import type Database from 'better-sqlite3';
import type { Address } from '../../../shared/schema/hex.ts';
import type { DecisionQueries, OutstandingReservations, WindowUsers } from '../decision-queries.ts';
import type { DecisionStore } from '../decision-store.ts';
import { reservedInTank } from '../reserves.ts';
import type { GroupCommit } from './group-commit.ts';
import type { LogWriter } from './log.ts';
import { turn } from './positions.ts';

/** Rows per read: SQLite blocks the process while it reads. */
const STRETCH = 5_000;

interface ReservedRow {
  seq: number;
  paymasterId: string;
  reserves: string | null;
}

const rollingWindows = (
  database: Database.Database,
  log: LogWriter,
  commit: GroupCommit,
): Pick<DecisionQueries, 'rollingHoldings'> & Pick<DecisionStore, 'forgetRolling'> => {
  const parts = database.prepare<[string, string], { window: number; held: string }>(
    'SELECT window, held FROM ledger_account WHERE kind = ? AND id = ? ORDER BY window',
  );
  const newest = database
    .prepare<[string, string], number | null>('SELECT max(window) FROM ledger_account WHERE kind = ? AND id = ?')
    .pluck();
  const forget = database.prepare<[string, string]>('DELETE FROM ledger_account WHERE kind = ? AND id = ?');
  return {
    async rollingHoldings({ kind, id }) {
      const all = parts.all(kind, id);
      const [first] = all;
      return first && { first: first.window, held: all.reduce((sum, { held }) => sum + BigInt(held), 0n) };
    },
    async forgetRolling({ kind, id }, since) {
      const isOver = (): boolean => (newest.get(kind, id) ?? since) < since;
      if (!isOver()) return;
      await commit.run(() => {
        if (!isOver()) return;
        forget.run(kind, id);
        log.append('reset', { kind, id });
      });
    },
  };
};

const windowUsers = (database: Database.Database): Pick<DecisionQueries, 'windowUsers'> => {
  const read = database.prepare<[string, string, number, string, number], { user: Address; held: string }>(
    `SELECT user, held FROM ledger_account
     WHERE kind = ? AND id = ? AND window = ? AND user > ? ORDER BY user LIMIT ?`,
  );
  return {
    async windowUsers({ account: { kind, id, window = 0 }, threshold, most }) {
      let nearest: WindowUsers['nearest'] = [];
      let [users, atLimit] = [0, 0];
      for (let after = ''; ;) {
        const rows = read.all(kind, id, window, after, STRETCH);
        const used = rows.map(({ user, held }) => ({ user, used: BigInt(held) })).filter((one) => one.used > 0n);
        users += used.length;
        atLimit += used.filter((account) => account.used >= threshold).length;
        nearest = [...nearest, ...used]
          .sort((a, b) => Number(b.used > a.used) - Number(b.used < a.used))
          .slice(0, most);
        const last = rows.at(-1);
        if (last === undefined || rows.length < STRETCH) return { users, atLimit, nearest };
        after = last.user;
        await turn();
      }
    },
  };
};

/** Reads only the reserved decisions, with their reservations. */
const outstanding = (database: Database.Database): Pick<DecisionQueries, 'outstandingReservations'> => {
  const chains = database.prepare<[], { chainId: number }>(
    'SELECT DISTINCT chain_id AS chainId FROM watched_paymaster',
  );
  const read = database.prepare<[number, number, number], ReservedRow>(
    `SELECT seq, paymaster_id AS paymasterId, reserves FROM decision
     WHERE chain_id = ? AND settlement = 'reserved' AND seq > ? ORDER BY seq LIMIT ?`,
  );
  return {
    async outstandingReservations() {
      const byDapp = new Map<string, OutstandingReservations>();
      for (const { chainId } of chains.all()) {
        for (let after = 0; ;) {
          const rows = read.all(chainId, after, STRETCH);
          for (const { paymasterId, reserves } of rows) {
            const open = byDapp.get(paymasterId) ?? { paymasterId, chainId, reservedWei: 0n, operations: 0 };
            open.reservedWei += reservedInTank(reserves);
            open.operations += 1;
            byDapp.set(paymasterId, open);
          }
          const last = rows.at(-1);
          if (last === undefined || rows.length < STRETCH) break;
          after = last.seq;
          await turn();
        }
      }
      return [...byDapp.values()];
    },
  };
};

/** Accounts that count together are adjacent. */
export const ledgerQueries = (database: Database.Database, log: LogWriter, commit: GroupCommit) => ({
  ...rollingWindows(database, log, commit),
  ...windowUsers(database),
  ...outstanding(database),
});
