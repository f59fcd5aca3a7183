import type Database from 'better-sqlite3';

/**
 * The positions (`seq`) that have decisions. The gaps may be of any size: an export of one DApp omits the others', and
 * a hostile file may contain any positions. Reads in batches use this to skip gaps, so that the number of decisions
 * limits the work.
 */
export interface Positions {
  /** The greatest position up to this one; 0 if none exists. */
  upTo(seq: number): number;
  /** The smallest position after this one; `Infinity` if none exists. */
  after(seq: number): number;
}

/** Each answer is one step in the table's own tree. */
export const positionsIn = (database: Database.Database): Positions => {
  const upTo = database.prepare<[number], { seq: number | null }>(
    'SELECT max(seq) AS seq FROM decision WHERE seq <= ?',
  );
  const after = database.prepare<[number], { seq: number | null }>(
    'SELECT min(seq) AS seq FROM decision WHERE seq > ?',
  );
  return { upTo: (seq) => upTo.get(seq)?.seq ?? 0, after: (seq) => after.get(seq)?.seq ?? Infinity };
};

/** Lets other waiting work run: SQLite blocks the process while it reads. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
