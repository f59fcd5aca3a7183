import type Database from 'better-sqlite3';
import type { OpenPromise, Store } from '../store.ts';

/** Read at once: SQLite answers before anything else runs. */
const STRETCH = 5_000;

interface Row {
  seq: number;
  paymasterId: string;
  held: string | null;
}

/** What is signed and not over yet, in SQLite: the reserved decisions alone are read, and what they hold of their tanks. */
export const openPromiseStore = (database: Database.Database): Pick<Store, 'openPromises'> => {
  const chains = database.prepare<[], { chainId: number }>(
    'SELECT DISTINCT chain_id AS chainId FROM watched_paymaster',
  );
  const read = database.prepare<[number, number, number], Row>(
    `SELECT seq, paymaster_id AS paymasterId,
       (SELECT held FROM ledger_claim
        WHERE decision_seq = seq AND account_key > 'tank:' AND account_key < 'tank;') AS held
     FROM decision WHERE chain_id = ? AND settlement = 'reserved' AND seq > ? ORDER BY seq LIMIT ?`,
  );
  return {
    async openPromises() {
      const byDapp = new Map<string, OpenPromise>();
      for (const { chainId } of chains.all()) {
        for (let after = 0; ;) {
          const rows = read.all(chainId, after, STRETCH);
          for (const { paymasterId, held } of rows) {
            const open = byDapp.get(paymasterId) ?? { paymasterId, chainId, promisedWei: 0n, operations: 0 };
            open.promisedWei += BigInt(held ?? '0');
            open.operations += 1;
            byDapp.set(paymasterId, open);
          }
          const last = rows.at(-1);
          if (last === undefined || rows.length < STRETCH) break;
          after = last.seq;
          // Whatever else waits has its turn.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      return [...byDapp.values()];
    },
  };
};
