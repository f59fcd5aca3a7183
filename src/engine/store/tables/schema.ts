import { type Dialect, settingsTables } from './settings-tables.ts';

/**
 * SQL of the tables that both databases have, so that a database can be copied row by row. Texts of records stay as they
 * are: they are part of the log.
 */
export const tablesIn = (dialect: Dialect): string => {
  const { integer, bytes, bytewise, counter, neverReused, options, keyed, changing, newId } = dialect;
  const key = `TEXT${bytewise}`;
  return `
  ${settingsTables(dialect)}
  -- A decision is an entry of the log: its number is its position there, and its record is the entry's body. In a
  -- review, decisions are no entries: they have no hash.
  CREATE TABLE decision (
    seq ${integer} PRIMARY KEY,
    id ${key} NOT NULL UNIQUE,
    at ${integer} NOT NULL,
    paymaster_id ${key} NOT NULL REFERENCES paymaster,
    sender ${key} NOT NULL,
    outcome ${key} NOT NULL,
    user_op_hash ${key},
    settlement ${key},
    actual_cost_wei TEXT,
    record TEXT NOT NULL,
    chain_id ${integer},
    valid_until ${integer},
    settled_block ${integer},
    rule ${key},
    reserves TEXT,
    entered_at ${integer},
    hash ${bytes}
  ) ${changing(90)};
  CREATE INDEX decision_of_paymaster ON decision (paymaster_id, seq);
  CREATE INDEX decision_of_outcome ON decision (outcome, seq) WHERE outcome <> 'sponsored';
  CREATE INDEX decision_open ON decision (chain_id, seq) WHERE settlement = 'reserved';
  CREATE INDEX decision_expiry ON decision (chain_id, valid_until) WHERE settlement = 'reserved';
  CREATE INDEX decision_settled ON decision (chain_id, settled_block) WHERE settled_block IS NOT NULL;
  CREATE INDEX decision_of_rule ON decision (rule, seq) WHERE rule IS NOT NULL;
  CREATE INDEX decision_paid ON decision (paymaster_id, at, actual_cost_wei) WHERE settlement = 'settled';
  CREATE INDEX decision_unmatched ON decision (chain_id, at)
    WHERE settlement = 'unconfirmed' AND settled_block IS NOT NULL;
  CREATE TABLE watched_paymaster (
    chain_id ${integer} NOT NULL,
    entry_point ${key} NOT NULL,
    paymaster ${key} NOT NULL,
    PRIMARY KEY (chain_id, entry_point, paymaster)
  ) ${keyed};
  CREATE TABLE chain_cursor (chain_id ${integer} PRIMARY KEY, block ${integer} NOT NULL) ${options};
  CREATE TABLE decision_hash (
    user_op_hash ${key} NOT NULL,
    seq ${integer} NOT NULL,
    PRIMARY KEY (user_op_hash, seq)
  ) ${keyed};
  -- What the chain says of settled operations. The columns from the bundler on are of the receipt.
  CREATE TABLE mined_operation (
    seq ${integer} PRIMARY KEY,
    chain_id ${integer} NOT NULL,
    block_hash ${key} NOT NULL,
    transaction_hash ${key} NOT NULL,
    success ${integer} NOT NULL,
    gas_used TEXT NOT NULL,
    gas_cost_wei TEXT NOT NULL,
    bundler ${key},
    bundle_gas TEXT,
    charged_gas TEXT,
    base_fee_wei TEXT,
    l1_fee_wei TEXT,
    coin_usd TEXT
  ) ${options};
  CREATE INDEX mined_operation_unread ON mined_operation (chain_id, seq) WHERE bundler IS NULL;
  CREATE TABLE search_lot (lot ${integer} PRIMARY KEY, words TEXT NOT NULL) ${options};
  CREATE TABLE search_gram (
    lot ${integer} NOT NULL,
    gram ${integer} NOT NULL,
    places ${bytes} NOT NULL,
    PRIMARY KEY (lot, gram)
  ) ${keyed};
  CREATE TABLE sponsorship_pause (
    "only" ${integer} PRIMARY KEY CHECK ("only" = 1),
    since ${integer} NOT NULL,
    reason TEXT
  ) ${options};
  CREATE TABLE operator_transaction (
    seq ${counter}${neverReused},
    id ${key} NOT NULL UNIQUE,
    chain_id ${integer} NOT NULL,
    paymaster_id ${key} REFERENCES paymaster,
    open ${integer} NOT NULL,
    record TEXT NOT NULL
  ) ${options};
  CREATE INDEX operator_transaction_open ON operator_transaction (seq) WHERE open = 1;
  CREATE TABLE sponsorship_resume ("only" ${integer} PRIMARY KEY CHECK ("only" = 1), times ${integer} NOT NULL) ${options};
  INSERT INTO sponsorship_resume VALUES (1, 0);
  CREATE TABLE dapp_pause (
    paymaster_id ${key} PRIMARY KEY REFERENCES paymaster,
    since ${integer} NOT NULL,
    reason TEXT
  ) ${keyed};
  CREATE TABLE dapp_resume (
    paymaster_id ${key} PRIMARY KEY REFERENCES paymaster,
    times ${integer} NOT NULL
  ) ${keyed};
  CREATE TABLE policy_revision (
    hash ${key} PRIMARY KEY,
    paymaster_id ${key} NOT NULL,
    at ${integer} NOT NULL,
    policy TEXT NOT NULL
  ) ${keyed};
  CREATE TABLE ledger_account (
    account_id ${integer} PRIMARY KEY,
    kind ${key} NOT NULL,
    id ${key} NOT NULL,
    "window" ${integer} NOT NULL,
    "user" ${key} NOT NULL,
    held TEXT NOT NULL
  ) ${changing(70)};
  CREATE UNIQUE INDEX ledger_account_key ON ledger_account (kind, id, "window", "user");
  CREATE TABLE ledger_hold (
    hold_id ${counter},
    account_id ${integer} NOT NULL,
    amount TEXT NOT NULL,
    engine ${integer} NOT NULL
  ) ${options};
  CREATE TABLE notification (
    seq ${counter}${neverReused},
    id ${key} NOT NULL UNIQUE,
    kind ${key} NOT NULL,
    subject ${key} NOT NULL,
    raised_at ${integer} NOT NULL,
    ended_at ${integer},
    seen ${integer} NOT NULL DEFAULT 0,
    due ${integer} NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    decision_id TEXT
  ) ${options};
  CREATE UNIQUE INDEX notification_open ON notification (kind, subject) WHERE ended_at IS NULL;
  CREATE INDEX notification_unseen ON notification (seq) WHERE seen = 0;
  CREATE INDEX notification_due ON notification (seq) WHERE due = 1;
  CREATE TABLE notification_webhook (
    "only" ${integer} PRIMARY KEY CHECK ("only" = 1),
    url TEXT NOT NULL,
    attempted_at ${integer},
    error TEXT
  ) ${options};
  CREATE TABLE policy_history (
    seq ${counter}${neverReused},
    paymaster_id ${key} NOT NULL,
    hash ${key} NOT NULL REFERENCES policy_revision,
    at ${integer} NOT NULL
  ) ${options};
  CREATE INDEX policy_history_of_dapp ON policy_history (paymaster_id, seq);
  CREATE TABLE desk ("only" ${integer} PRIMARY KEY CHECK ("only" = 1), desk_id TEXT NOT NULL) ${options};
  INSERT INTO desk VALUES (1, ${newId});
  CREATE TABLE log_entry (
    position ${integer} PRIMARY KEY,
    at ${integer} NOT NULL,
    kind ${key} NOT NULL,
    hash ${bytes} NOT NULL,
    settles ${integer},
    body TEXT NOT NULL
  ) ${options};
  CREATE INDEX log_entry_of_kind ON log_entry (kind, position);
  CREATE VIEW log AS
    SELECT position, at, kind, hash, body FROM log_entry
    UNION ALL SELECT seq, entered_at, 'decision'${bytewise}, hash, record FROM decision WHERE hash IS NOT NULL;
  CREATE TABLE log_tile (
    level ${integer} NOT NULL,
    tile ${integer} NOT NULL,
    hashes ${bytes} NOT NULL,
    root ${bytes} NOT NULL,
    PRIMARY KEY (level, tile)
  ) ${keyed};
  CREATE TABLE log_checkpoint (size ${integer} PRIMARY KEY, at ${integer} NOT NULL, note TEXT NOT NULL) ${options};
  CREATE TABLE operator_change (
    change_id ${counter},
    call TEXT NOT NULL,
    subject TEXT NOT NULL,
    id TEXT NOT NULL,
    before TEXT,
    after TEXT
  ) ${options};
  CREATE TABLE shadow_result (
    rule_id ${key} NOT NULL,
    cycle ${integer} NOT NULL,
    decision_seq ${integer} NOT NULL,
    would_deny ${integer} NOT NULL,
    PRIMARY KEY (rule_id, cycle, would_deny, decision_seq)
  ) ${keyed};
  CREATE TABLE chain_base_fee (
    chain_id ${integer} PRIMARY KEY,
    block ${integer} NOT NULL,
    base_fee_wei TEXT NOT NULL,
    seen_at ${integer} NOT NULL
  ) ${options};
  CREATE TABLE chain_tip (
    chain_id ${integer} NOT NULL,
    hour ${integer} NOT NULL,
    lowest_wei TEXT NOT NULL,
    PRIMARY KEY (chain_id, hour)
  ) ${options};
`;
};
