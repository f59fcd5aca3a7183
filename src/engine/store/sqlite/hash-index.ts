import type Database from 'better-sqlite3';
import type { GroupCommit } from './group-commit.ts';
import { positionsIn } from './positions.ts';

/** Decisions entered at once: a fraction of what may block the process. */
const BATCH_SIZE = 5_000;

/** Finds sponsored decisions by their operation's hash, inside the transactions of its callers. */
export interface HashIndex {
  /** Enters the next missing decisions. False: more may be missing. */
  catchUp(): boolean;
  /** The decision that a mined operation settles: the one it settled before, else the first. */
  find(userOpHash: string, chainId: number): number | undefined;
  /** Enters a hash under which a decision's operation was mined, though it was sponsored under another. */
  add(userOpHash: string, seq: number): void;
}

/** Enters all missing decisions, in batches, so that decisions are stored in between. */
export const enterAll = async (hashes: Pick<HashIndex, 'catchUp'>, commit: GroupCommit): Promise<void> => {
  while (!(await commit.run(() => hashes.catchUp())));
};

/** The index of hashes. Migration 35 says why it is not a SQLite index. */
export const createHashIndex = (database: Database.Database): HashIndex => {
  const end = database.prepare<[], { seq: number }>('SELECT seq FROM decision_hash_end');
  const positions = positionsIn(database);
  const enter = database.prepare<[number, number]>(
    `INSERT INTO decision_hash SELECT user_op_hash, seq FROM decision
     WHERE seq > ? AND seq <= ? AND user_op_hash IS NOT NULL ORDER BY user_op_hash`,
  );
  const add = database.prepare<[string, number]>('INSERT OR IGNORE INTO decision_hash VALUES (?, ?)');
  const setEnd = database.prepare<[number]>('UPDATE decision_hash_end SET seq = ?');
  const find = database.prepare<[string, number], { seq: number }>(
    `SELECT decision.seq FROM decision_hash JOIN decision USING (seq)
     WHERE decision_hash.user_op_hash = ? AND chain_id = ? AND outcome = 'sponsored'
     ORDER BY settlement = 'settled' DESC, decision.seq LIMIT 1`,
  );
  return {
    catchUp() {
      const from = end.get()?.seq ?? 0;
      const last = positions.upTo(Infinity);
      const next = positions.after(from);
      if (next > last) return true;
      const to = Math.min(next + BATCH_SIZE, last);
      enter.run(from, to);
      setEnd.run(to);
      return to >= last;
    },
    find: (userOpHash, chainId) => find.get(userOpHash, chainId)?.seq,
    add: (userOpHash, seq) => void add.run(userOpHash, seq),
  };
};
