import type Database from 'better-sqlite3';
import type { Address } from '../../../shared/schema/hex.ts';
import type { Store } from '../store.ts';

/** Read at once: SQLite answers before anything else runs. */
const STRETCH = 5_000;
/** After every key of a window: users are hexadecimal. */
const END = '~';

interface AccountRow {
  key: string;
  held: string;
}

/** Who of a window's users holds the most, in SQLite: its accounts lie side by side in the ledger. */
export const windowUsersStore = (database: Database.Database): Pick<Store, 'windowUsers'> => {
  const read = database.prepare<[string, string, number], AccountRow>(
    `SELECT account_key AS key, held FROM ledger_account
     WHERE account_key > ? AND account_key < ? ORDER BY account_key LIMIT ?`,
  );
  return {
    async windowUsers({ prefix, threshold, most }) {
      let nearest: { user: Address; used: bigint }[] = [];
      let [users, atLimit] = [0, 0];
      for (let after = prefix; ;) {
        const rows = read.all(after, prefix + END, STRETCH);
        const used = rows
          .map(({ key, held }) => ({ user: key.slice(prefix.length) as Address, used: BigInt(held) }))
          .filter((account) => account.used > 0n);
        users += used.length;
        atLimit += used.filter((account) => account.used >= threshold).length;
        nearest = [...nearest, ...used]
          .sort((a, b) => Number(b.used > a.used) - Number(b.used < a.used))
          .slice(0, most);
        const last = rows.at(-1);
        if (last === undefined || rows.length < STRETCH) return { users, atLimit, nearest };
        after = last.key;
        // Whatever else waits has its turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
};
