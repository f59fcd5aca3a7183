import type Database from 'better-sqlite3';

/** Decisions entered at once: a fraction of what may block the process. */
const BATCH_SIZE = 5_000;

/**
 * Decisions are stored without their entry in `decision_hash`: hashes are random, so each would change another page.
 *
 * @returns enters the next missing ones, inside the transaction of its caller; false if more may be missing
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
