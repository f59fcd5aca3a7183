import type Database from 'better-sqlite3';
import { SCHEMA_VERSION, hasSchema } from '../schema-version.ts';
import { settingsTables } from './settings-tables.ts';

/**
 * The tables of SQLite. PostgreSQL has the same tables and columns (`store/postgres/schema.ts`), so that a database can
 * be copied row by row.
 */
const tables = `
  ${settingsTables}
  -- A decision is an entry of the log: its number is its position there, and its record is the entry's body. In a
  -- review, decisions are no entries: they have no hash.
  CREATE TABLE decision (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    paymaster_id TEXT NOT NULL REFERENCES paymaster,
    sender TEXT NOT NULL,
    outcome TEXT NOT NULL,
    user_op_hash TEXT,
    settlement TEXT,
    actual_cost_wei TEXT,
    record TEXT NOT NULL,
    chain_id INTEGER,
    valid_until INTEGER,
    settled_block INTEGER,
    rule TEXT,
    reserves TEXT,
    entered_at INTEGER,
    hash BLOB
  ) STRICT;
  CREATE INDEX decision_of_paymaster ON decision (paymaster_id, seq);
  CREATE INDEX decision_of_outcome ON decision (outcome, seq) WHERE outcome <> 'sponsored';
  CREATE INDEX decision_open ON decision (chain_id) WHERE settlement = 'reserved';
  CREATE INDEX decision_expiry ON decision (chain_id, valid_until) WHERE settlement = 'reserved';
  CREATE INDEX decision_settled ON decision (chain_id, settled_block) WHERE settled_block IS NOT NULL;
  CREATE INDEX decision_of_rule ON decision (rule, seq) WHERE rule IS NOT NULL;
  CREATE INDEX decision_paid ON decision (paymaster_id, at, actual_cost_wei) WHERE settlement = 'settled';
  CREATE INDEX decision_unmatched ON decision (chain_id, at)
    WHERE settlement = 'unconfirmed' AND settled_block IS NOT NULL;
  CREATE TABLE watched_paymaster (
    chain_id INTEGER NOT NULL,
    entry_point TEXT NOT NULL,
    paymaster TEXT NOT NULL,
    PRIMARY KEY (chain_id, entry_point, paymaster)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE chain_cursor (chain_id INTEGER PRIMARY KEY, block INTEGER NOT NULL) STRICT;
  CREATE TABLE decision_hash (
    user_op_hash TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES decision,
    PRIMARY KEY (user_op_hash, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE decision_hash_end (seq INTEGER NOT NULL) STRICT;
  INSERT INTO decision_hash_end VALUES (0);
  -- The search index (tables/search-index.ts): which lots are complete, and by the words of which version.
  CREATE TABLE search_lot (lot INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT;
  CREATE TABLE search_gram (
    lot INTEGER NOT NULL,
    gram INTEGER NOT NULL,
    places BLOB NOT NULL,
    PRIMARY KEY (lot, gram)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sponsorship_pause (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    since INTEGER NOT NULL,
    reason TEXT
  ) STRICT;
  CREATE TABLE operator_transaction (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    chain_id INTEGER NOT NULL,
    paymaster_id TEXT REFERENCES paymaster,
    open INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX operator_transaction_open ON operator_transaction (seq) WHERE open = 1;
  CREATE TABLE sponsorship_resume (only INTEGER PRIMARY KEY CHECK (only = 1), times INTEGER NOT NULL) STRICT;
  INSERT INTO sponsorship_resume VALUES (1, 0);
  CREATE TABLE dapp_pause (
    paymaster_id TEXT PRIMARY KEY REFERENCES paymaster,
    since INTEGER NOT NULL,
    reason TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE dapp_resume (
    paymaster_id TEXT PRIMARY KEY REFERENCES paymaster,
    times INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE policy_revision (
    hash TEXT PRIMARY KEY,
    paymaster_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    policy TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ledger_account (
    account_id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    window INTEGER NOT NULL,
    user TEXT NOT NULL,
    held TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX ledger_account_key ON ledger_account (kind, id, window, user);
  CREATE TABLE ledger_hold (
    hold_id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    amount TEXT NOT NULL,
    engine INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE notification (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    raised_at INTEGER NOT NULL,
    ended_at INTEGER,
    seen INTEGER NOT NULL DEFAULT 0,
    due INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    decision_id TEXT
  ) STRICT;
  CREATE UNIQUE INDEX notification_open ON notification (kind, subject) WHERE ended_at IS NULL;
  CREATE INDEX notification_unseen ON notification (seq) WHERE seen = 0;
  CREATE INDEX notification_due ON notification (seq) WHERE due = 1;
  CREATE TABLE notification_webhook (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    url TEXT NOT NULL,
    attempted_at INTEGER,
    error TEXT
  ) STRICT;
  CREATE TABLE policy_history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    paymaster_id TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES policy_revision,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX policy_history_of_dapp ON policy_history (paymaster_id, seq);
  CREATE TABLE desk (only INTEGER PRIMARY KEY CHECK (only = 1), desk_id TEXT NOT NULL) STRICT;
  INSERT INTO desk VALUES (1, lower(hex(randomblob(16))));
  CREATE TABLE log_entry (
    position INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    hash BLOB NOT NULL,
    settles INTEGER,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX log_entry_of_kind ON log_entry (kind, position);
  CREATE VIEW log AS
    SELECT position, at, kind, hash, body FROM log_entry
    UNION ALL SELECT seq, entered_at, 'decision', hash, record FROM decision WHERE hash IS NOT NULL;
  CREATE TABLE log_tile (
    level INTEGER NOT NULL,
    tile INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    root BLOB NOT NULL,
    PRIMARY KEY (level, tile)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE log_checkpoint (size INTEGER PRIMARY KEY, at INTEGER NOT NULL, note TEXT NOT NULL) STRICT;
  CREATE TABLE operator_change (
    change_id INTEGER PRIMARY KEY,
    call TEXT NOT NULL,
    subject TEXT NOT NULL,
    id TEXT NOT NULL,
    before TEXT,
    after TEXT
  ) STRICT;
  CREATE TABLE shadow_result (
    rule_id TEXT NOT NULL,
    cycle INTEGER NOT NULL,
    decision_seq INTEGER NOT NULL,
    would_deny INTEGER NOT NULL,
    PRIMARY KEY (rule_id, cycle, would_deny, decision_seq)
  ) STRICT, WITHOUT ROWID;
`;

/** Creates the tables in an empty database. @throws EngineError `DATABASE_TOO_NEW` or `DATABASE_TOO_OLD` */
export const createSchema = (database: Database.Database): void => {
  if (hasSchema(database.pragma('user_version', { simple: true }) as number)) return;
  database.transaction(() => {
    database.exec(tables);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
};
