import type Database from 'better-sqlite3';
import type { CountedOperation, Store } from '../store.ts';

interface Row {
  seq: number;
  at: number;
  sender: CountedOperation['sender'];
  outcome: string;
  deniedBy: string | null;
  mode: string;
  costWei: string | null;
}

/** Read at once: SQLite answers before anything else runs, and of each the record is looked into. */
const STRETCH = 1_000;

/** Reads what limits would have counted, from the newest decision of the DApp back. */
export const countedOperationsStore = (database: Database.Database): Pick<Store, 'countedOperations'> => {
  const read = database.prepare<[string, number, number], Row>(
    `SELECT seq, at, sender, outcome, rule AS deniedBy, record ->> 'mode' AS mode,
       coalesce(actual_cost_wei, record ->> 'maxCostWei') AS costWei
     FROM decision WHERE paymaster_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  // Whoever pays for himself is not bound by limits.
  const counts = ({ outcome, deniedBy, mode }: Row): boolean =>
    mode !== 'ERC20' && (outcome === 'sponsored' || deniedBy === 'spendingLimit');
  return {
    async countedOperations({ paymasterId, from, most }) {
      const found: CountedOperation[] = [];
      let looked = 0;
      for (let before = Number.MAX_SAFE_INTEGER; ;) {
        const rows = read.all(paymasterId, before, Math.min(STRETCH, most - looked));
        looked += rows.length;
        for (const row of rows) {
          if (row.at < from || !counts(row)) continue;
          found.push({ at: row.at, sender: row.sender, costWei: BigInt(row.costWei ?? '0') });
        }
        const last = rows.at(-1);
        if (last === undefined || last.at < from || looked >= most) return found;
        before = last.seq;
        // Whatever else waits has its turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
};
