import type Database from 'better-sqlite3';
import {
  DECISION_COLUMNS,
  HELD_ACCOUNTS,
  LEAF_HASHES,
  POLICY_CHANGES,
  REVISION_TEXTS,
  TILES,
} from '../log-check-rows.ts';
import type {
  DecisionColumns,
  HeldAccountRow,
  HistoryRow,
  LogCheckStore,
  RevisionRow,
  TileRow,
} from '../log-check-store.ts';

export const logCheckStore = (database: Database.Database): LogCheckStore => {
  const columns = database.prepare<[number, number], DecisionColumns>(
    `${DECISION_COLUMNS} WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const changes = database.prepare<[], HistoryRow>(POLICY_CHANGES);
  const accounts = database.prepare<[], HeldAccountRow>(HELD_ACCOUNTS);
  const revisions = database.prepare<[string, number], RevisionRow>(
    `${REVISION_TEXTS} WHERE hash > ? ORDER BY hash LIMIT ?`,
  );
  const tiles = database.prepare<[number, number, number], TileRow>(
    `${TILES} WHERE level = ? AND tile >= ? ORDER BY tile LIMIT ?`,
  );
  const leaves = database
    .prepare<[number, number], Buffer>(`${LEAF_HASHES} WHERE position >= ? AND position < ? ORDER BY position`)
    .pluck();
  return {
    async decisionColumns({ after, limit }) {
      return columns.all(after, limit);
    },
    async policyChanges() {
      return changes.all();
    },
    async heldAccounts() {
      return accounts.all();
    },
    async revisionTexts({ after, limit }) {
      return revisions.all(after, limit);
    },
    async tiles({ level, from, limit }) {
      return tiles.all(level, from, limit);
    },
    async leafHashes({ start, end }) {
      return leaves.all(start, end);
    },
  };
};
