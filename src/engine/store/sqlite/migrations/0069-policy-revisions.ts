import type { Migration } from './migration.ts';

/** The policies of decisions, by the hash of their canonical JSON. */
export const policyRevisions: Migration = {
  version: 69,
  sql: `CREATE TABLE policy_revision (
          hash TEXT PRIMARY KEY,
          paymaster_id TEXT NOT NULL,
          at INTEGER NOT NULL,
          policy TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;`,
};
