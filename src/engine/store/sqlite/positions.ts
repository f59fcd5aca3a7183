import type Database from 'better-sqlite3';

/**
 * The positions (`seq`) at which there are decisions. Positions may lie as far apart as numbers go: an export of one
 * DApp leaves out the others', and a hostile one says what it likes. Reading by stretches of
 * positions goes from one decision to the next by these, so that the work is bounded by the decisions there are.
 */
export interface Positions {
  /** The greatest position up to this one; 0 if there is none. */
  upTo(seq: number): number;
  /** The smallest position after this one; `Infinity` if there is none. */
  after(seq: number): number;
}

/** The positions in SQLite: each answer is one step in the table's own tree. */
export const positionsIn = (database: Database.Database): Positions => {
  const upTo = database.prepare<[number], { seq: number | null }>(
    'SELECT max(seq) AS seq FROM decision WHERE seq <= ?',
  );
  const after = database.prepare<[number], { seq: number | null }>(
    'SELECT min(seq) AS seq FROM decision WHERE seq > ?',
  );
  return {
    upTo: (seq) => upTo.get(seq)?.seq ?? 0,
    after: (seq) => after.get(seq)?.seq ?? Infinity,
  };
};

/** Lets everything else that waits have its turn: SQLite answers before anything else runs. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
