import type { Migration } from './migration.ts';

/** Which policy of a DApp was in force when. For earlier times, only policies that made decisions are known. */
export const policyHistory: Migration = {
  version: 95,
  sql: `
    CREATE TABLE policy_history (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      paymaster_id TEXT NOT NULL,
      hash TEXT NOT NULL REFERENCES policy_revision,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX policy_history_of_dapp ON policy_history (paymaster_id, seq);
    INSERT INTO policy_history (paymaster_id, hash, at)
      SELECT paymaster_id, hash, at FROM policy_revision ORDER BY at, hash;
  `,
};
