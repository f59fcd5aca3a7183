import type Database from 'better-sqlite3';
import type { Store } from '../store.ts';

interface Row {
  /** Sums in decimal digits: SQLite's integers are wider than JavaScript's numbers. */
  high: string | null;
  low: string | null;
  firstAt: number | null;
}

interface Asked {
  paymasterId: string;
  from: number;
  to: number;
}

/** SQLite adds up to 2^63: amounts are cut in two, so that nine million of them fit. */
const LOW_DIGITS = 12;

/** Read at once, of what may be a million operations a week: SQLite answers before anything else runs. */
const STRETCH_MS = 6 * 3_600_000;

const weiIn = ({ high, low }: Row): bigint => BigInt(high ?? '0') * 10n ** BigInt(LOW_DIGITS) + BigInt(low ?? '0');

/** What was paid for operations, in SQLite: an index holds all that is added up. */
export const paidSinceStore = (database: Database.Database): Pick<Store, 'paidSince'> => {
  const paid = database.prepare<[Asked], Row>(
    `SELECT CAST(sum(CAST(substr(actual_cost_wei, 1, length(actual_cost_wei) - ${LOW_DIGITS}) AS INTEGER)) AS TEXT) AS high,
       CAST(sum(CAST(substr(actual_cost_wei, -${LOW_DIGITS}) AS INTEGER)) AS TEXT) AS low, min(at) AS firstAt
     FROM decision
     WHERE paymaster_id = @paymasterId AND settlement = 'settled' AND at >= @from AND at < @to`,
  );
  return {
    async paidSince({ paymasterIds, from, to }) {
      let paidWei = 0n;
      let firstAt: number | undefined;
      for (let start = from; start < to; start += STRETCH_MS) {
        for (const paymasterId of paymasterIds) {
          const row = paid.get({ paymasterId, from: start, to: Math.min(to, start + STRETCH_MS) });
          if (row === undefined || row.firstAt === null) continue;
          paidWei += weiIn(row);
          firstAt = Math.min(firstAt ?? row.firstAt, row.firstAt);
        }
        // Whatever else waits has its turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { paidWei, firstAt };
    },
  };
};
