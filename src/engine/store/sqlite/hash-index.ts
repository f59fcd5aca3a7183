import type Database from 'better-sqlite3';

/**
 * Number of decisions that are processed at once: this takes a fraction of the time for which the process may be
 * blocked.
 */
const BATCH_SIZE = 5_000;

/**
 * Adds missing entries to `decision_hash`. Decisions are stored without these entries, because hashes are random, so
 * each entry would change another page.
 *
 * @returns a function that adds the next missing entries, in the transaction of its caller; it returns false if more
 * may be missing
 */
export const hashCatchUp = (database: Database.Database): (() => boolean) => {
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
  return () => {
    const from = end.get()?.seq ?? 0;
    const next = after.get(from)?.seq ?? null;
    if (next === null) return true;
    const newest = last.get()?.seq ?? 0;
    const to = Math.min(next + BATCH_SIZE, newest);
    enter.run(from, to);
    setEnd.run(to);
    return to >= newest;
  };
};
