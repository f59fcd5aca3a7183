import type { Migration } from './migration.ts';

/**
 * The operator's transactions; `open` until the outcome is known. Also for gas tanks: the balance (decimal wei) below
 * which a DApp's is low, and an index for what was recently paid from it.
 */
export const operatorTransactions: Migration = {
  version: 62,
  sql: `
    CREATE TABLE operator_transaction (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      chain_id INTEGER NOT NULL,
      paymaster_id TEXT REFERENCES paymaster,
      open INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX operator_transaction_open ON operator_transaction (seq) WHERE open = 1;
    ALTER TABLE paymaster ADD COLUMN low_tank_wei TEXT;
    CREATE INDEX decision_paid ON decision (paymaster_id, at, actual_cost_wei) WHERE settlement = 'settled';
  `,
};
