import type { Migration } from './migration.ts';

/**
 * Hashes of sponsored operations, in a table that is filled in sorted batches when one is searched. As an index of the
 * decisions they cost every decision a random page, a third of what its commit wrote. Also, ledger accounts without
 * their end: nothing searches for windows that are over, which cost no decision anything.
 */
export const cheaperDecisions: Migration = {
  version: 35,
  sql: `
    CREATE TABLE decision_hash (
      user_op_hash TEXT NOT NULL, seq INTEGER NOT NULL REFERENCES decision,
      PRIMARY KEY (user_op_hash, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE decision_hash_end (
      seq INTEGER NOT NULL
    ) STRICT;
    INSERT INTO decision_hash_end VALUES (0);
    DROP INDEX decision_by_hash;
    DROP INDEX ledger_account_ended;
    ALTER TABLE ledger_account DROP COLUMN ends_at;
  `,
};
