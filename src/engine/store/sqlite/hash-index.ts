import type Database from 'better-sqlite3';
import type { Clock } from '../../base/clock.ts';

/** Number of decisions whose hashes are entered together. */
const PART = 100;

/** Maximum number of parts per transaction. */
const PARTS = 50;

/** After this time, a transaction enters no further part: in a large index, each hash may have to wait for the disk. */
const MOST_MS = 10;

/**
 * Adds missing entries to `decision_hash`. Decisions are stored without these entries, because hashes are random, so
 * each entry would change another page.
 *
 * @param clock bounds the time for which the process is blocked; absent: nothing waits for it
 * @returns a function that adds the next missing entries, in the transaction of its caller; it returns false if more
 * may be missing
 */
export const hashCatchUp = (database: Database.Database, clock?: Pick<Clock, 'monotonic'>): (() => boolean) => {
  const end = database.prepare<[], { seq: number }>('SELECT seq FROM decision_hash_end');
  const last = database.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM decision');
  const after = database.prepare<[number], { seq: number | null }>(
    'SELECT min(seq) AS seq FROM decision WHERE seq > ?',
  );
  const enter = database.prepare<[number, number]>(
    `INSERT INTO decision_hash SELECT user_op_hash, seq FROM decision
     WHERE seq > ? AND seq <= ? AND user_op_hash IS NOT NULL ORDER BY user_op_hash`,
  );
  const setEnd = database.prepare<[number]>('UPDATE decision_hash_end SET seq = ?');
  const enterPart = (): boolean => {
    const from = end.get()?.seq ?? 0;
    const next = after.get(from)?.seq ?? null;
    if (next === null) return true;
    const newest = last.get()?.seq ?? 0;
    const to = Math.min(next + PART, newest);
    enter.run(from, to);
    setEnd.run(to);
    return to >= newest;
  };
  return () => {
    const start = clock?.monotonic() ?? 0;
    for (let part = 0; part < PARTS; part += 1) {
      if (enterPart()) return true;
      if (clock !== undefined && clock.monotonic() - start >= MOST_MS) return false;
    }
    return false;
  };
};
