import type { Migration } from './migration.ts';

/**
 * Ledger accounts in columns, instead of one text with colons. An unused window is 0, an unused user empty. A claim is
 * now a reservation: it names its account by number, and `follows` says how it follows its operation. A hold is a
 * reservation too, for a withdrawal in flight.
 */
export const ledgerColumns: Migration = {
  version: 70,
  sql: `
    ALTER TABLE ledger_account RENAME TO ledger_text;
    CREATE TABLE ledger_account (
      account_id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL, id TEXT NOT NULL, window INTEGER NOT NULL, user TEXT NOT NULL,
      held TEXT NOT NULL
    ) STRICT;
    CREATE TEMP TABLE ledger_number (account_key TEXT PRIMARY KEY, account_id INTEGER) WITHOUT ROWID;
    INSERT INTO ledger_number SELECT account_key, row_number() OVER (ORDER BY account_key) FROM ledger_text;
    WITH halves AS MATERIALIZED (
      SELECT account_key, substr(account_key, 1, instr(account_key, ':') - 1) AS kind,
        substr(account_key, instr(account_key, ':') + 1) AS rest, held FROM ledger_text),
    parts AS MATERIALIZED (
      SELECT *, rtrim(rest, iif(kind = 'dapp', replace(rest, ':', ''), '0123456789abcdefx')) AS head FROM halves)
    INSERT INTO ledger_account
      SELECT account_id, kind,
        CASE
          WHEN kind = 'limit' THEN rtrim(rtrim(rtrim(head, ':'), '0123456789'), ':')
          WHEN kind IN ('sender', 'dapp', 'user', 'breaker', 'dappBreaker', 'unreachable') THEN rtrim(head, ':')
          ELSE rest END,
        CASE
          WHEN kind = 'limit' THEN CAST(replace(head, rtrim(rtrim(head, ':'), '0123456789'), '') AS INTEGER)
          WHEN kind IN ('breaker', 'dappBreaker', 'unreachable') THEN CAST(substr(rest, length(head) + 1) AS INTEGER)
          ELSE 0 END,
        CASE WHEN kind IN ('limit', 'sender', 'dapp', 'user') THEN substr(rest, length(head) + 1) ELSE '' END,
        held
      FROM parts JOIN ledger_number USING (account_key);
    CREATE UNIQUE INDEX ledger_account_key ON ledger_account (kind, id, window, user);
    DROP TABLE ledger_text;
    CREATE TABLE ledger_reservation (
      decision_seq INTEGER NOT NULL REFERENCES decision,
      account_id INTEGER NOT NULL,
      follows TEXT NOT NULL, reserved TEXT NOT NULL, held TEXT NOT NULL,
      PRIMARY KEY (decision_seq, account_id)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO ledger_reservation SELECT decision_seq, account_id, kind, reserved, held
      FROM ledger_claim CROSS JOIN ledger_number USING (account_key) ORDER BY decision_seq, ledger_claim.account_key;
    DROP TABLE ledger_claim;
    DROP TABLE ledger_number;
    CREATE TABLE ledger_hold (
      hold_id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, amount TEXT NOT NULL
    ) STRICT;
  `,
};
