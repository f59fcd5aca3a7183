import type { Migration } from './migration.ts';

/**
 * The ledger: accounts (a gas tank, or a spending limit's window) and each decision's amounts in them. It replaces the
 * tank promises of schema 10. Decisions get columns for settlement's searches.
 */
export const ledger: Migration = {
  version: 20,
  sql: `
    CREATE TABLE ledger_account (
      account_key TEXT PRIMARY KEY, held TEXT NOT NULL, ends_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ledger_account_ended ON ledger_account (ends_at) WHERE ends_at IS NOT NULL;
    CREATE TABLE ledger_claim (
      decision_seq INTEGER NOT NULL REFERENCES decision,
      account_key TEXT NOT NULL,
      kind TEXT NOT NULL,
      reserved TEXT NOT NULL,
      held TEXT NOT NULL,
      PRIMARY KEY (decision_seq, account_key)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO ledger_account SELECT 'tank:' || tank_id, promised_wei, NULL FROM tank;
    INSERT INTO ledger_claim SELECT decision_seq, 'tank:' || tank_id, 'tank', amount_wei, amount_wei FROM tank_promise;
    DROP TABLE tank_promise;
    DROP TABLE tank;

    ALTER TABLE rule ADD COLUMN cycle INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE decision ADD COLUMN chain_id INTEGER;
    ALTER TABLE decision ADD COLUMN valid_until INTEGER;
    ALTER TABLE decision ADD COLUMN settled_block INTEGER;
    UPDATE decision SET chain_id = record ->> 'chainId', valid_until = record ->> 'validUntil';
    CREATE INDEX decision_open ON decision (chain_id) WHERE settlement = 'reserved';
    CREATE INDEX decision_expiry ON decision (chain_id, valid_until) WHERE settlement = 'reserved';
    CREATE INDEX decision_settled ON decision (chain_id, settled_block) WHERE settled_block IS NOT NULL;
    CREATE INDEX decision_by_hash ON decision (user_op_hash) WHERE user_op_hash IS NOT NULL;
    CREATE TABLE watched_paymaster (
      chain_id INTEGER NOT NULL, entry_point TEXT NOT NULL, paymaster TEXT NOT NULL,
      PRIMARY KEY (chain_id, entry_point, paymaster)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO watched_paymaster SELECT DISTINCT chain_id, record ->> 'entryPoint',
      substr(record ->> 'paymasterAndData', 1, 42) FROM decision WHERE outcome = 'sponsored';
    CREATE TABLE chain_cursor (
      chain_id INTEGER PRIMARY KEY, block INTEGER NOT NULL
    ) STRICT;
  `,
};
