/**
 * The tables of both databases, so that a database can be copied row by row. This is SQLite's SQL, from which
 * `postgres/schema.ts` derives PostgreSQL's. A `place` numbers rows in the order of insertion. Texts of records stay as
 * they are: they are part of the log.
 */
export const tables = `
  -- The operators' settings, credentials, and allowed origins.
  CREATE TABLE account (
    place INTEGER PRIMARY KEY AUTOINCREMENT, account_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE paymaster (
    place INTEGER PRIMARY KEY AUTOINCREMENT, paymaster_id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES account (account_id), name TEXT NOT NULL,
    chain_id INTEGER NOT NULL, version TEXT NOT NULL, created_at INTEGER NOT NULL,
    api_key TEXT NOT NULL UNIQUE, allowed_origins TEXT NOT NULL DEFAULT '["*"]',
    funding_wallet TEXT, low_tank_wei TEXT, sponsor TEXT,
    max_expiry_seconds INTEGER NOT NULL DEFAULT 3600, token_mode INTEGER NOT NULL DEFAULT 1,
    rule_revision INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT paymaster_name UNIQUE (account_id, chain_id, name)
  ) STRICT;
  CREATE TABLE auth_token (
    place INTEGER PRIMARY KEY AUTOINCREMENT, token_id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES account (account_id), hash TEXT NOT NULL UNIQUE, label TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT 'manage' CHECK (scope IN ('read', 'manage', 'dapp')),
    paymaster_id TEXT REFERENCES paymaster (paymaster_id),
    created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER
  ) STRICT;
  CREATE TABLE api_key (
    place INTEGER PRIMARY KEY AUTOINCREMENT, key_id TEXT NOT NULL UNIQUE,
    paymaster_id TEXT NOT NULL REFERENCES paymaster (paymaster_id), api_key TEXT NOT NULL UNIQUE, label TEXT NOT NULL,
    created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER
  ) STRICT;
  CREATE INDEX api_key_of_paymaster ON api_key (paymaster_id, created_at);
  CREATE TABLE funding_message (
    paymaster_id TEXT PRIMARY KEY REFERENCES paymaster (paymaster_id),
    message TEXT NOT NULL, issued_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE funding_wallet_change (
    change_id INTEGER PRIMARY KEY AUTOINCREMENT, paymaster_id TEXT NOT NULL REFERENCES paymaster (paymaster_id),
    funding_wallet TEXT NOT NULL, message TEXT NOT NULL, signature TEXT, changed_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX funding_wallet_change_of_paymaster ON funding_wallet_change (paymaster_id);
  CREATE TABLE smart_contract (
    place INTEGER PRIMARY KEY AUTOINCREMENT, rule_id TEXT NOT NULL UNIQUE,
    paymaster_id TEXT NOT NULL REFERENCES paymaster (paymaster_id), name TEXT NOT NULL,
    address TEXT NOT NULL, address_key TEXT NOT NULL,
    abi TEXT NOT NULL, methods TEXT NOT NULL, whitelisted_methods TEXT NOT NULL, active INTEGER NOT NULL,
    CONSTRAINT smart_contract_address_key UNIQUE (paymaster_id, address_key),
    CONSTRAINT smart_contract_name UNIQUE (paymaster_id, name)
  ) STRICT;
  CREATE TABLE rule (
    place INTEGER PRIMARY KEY AUTOINCREMENT, rule_id TEXT NOT NULL UNIQUE,
    paymaster_id TEXT NOT NULL REFERENCES paymaster (paymaster_id), name TEXT NOT NULL,
    policy_type TEXT NOT NULL, policy_data TEXT NOT NULL, binding TEXT NOT NULL DEFAULT '{}',
    active INTEGER NOT NULL, cycle INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT rule_name UNIQUE (paymaster_id, name)
  ) STRICT;
  CREATE TABLE webhook (
    place INTEGER PRIMARY KEY AUTOINCREMENT, webhook_id TEXT NOT NULL UNIQUE,
    paymaster_id TEXT NOT NULL REFERENCES paymaster (paymaster_id),
    webhook_url TEXT NOT NULL, request_type TEXT NOT NULL, active INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX webhook_of_paymaster ON webhook (paymaster_id);
  CREATE TABLE chain (
    chain_id INTEGER PRIMARY KEY, name TEXT, symbol TEXT, rpc TEXT, bundler TEXT, treasury TEXT, price TEXT,
    forward_bundler TEXT CHECK (forward_bundler IN ('own', 'all')),
    breaker_wei TEXT, breaker_seconds INTEGER, breaker_off INTEGER NOT NULL DEFAULT 0,
    max_operation_cost_wei TEXT, unreachable_budget_wei TEXT,
    gas_schedule TEXT, gas_schedule_reading TEXT
  ) STRICT;
  CREATE TABLE chain_base_fee (
    chain_id INTEGER PRIMARY KEY, block INTEGER NOT NULL, base_fee_wei TEXT NOT NULL, seen_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE chain_tip (
    chain_id INTEGER NOT NULL, hour INTEGER NOT NULL, lowest_wei TEXT NOT NULL, PRIMARY KEY (chain_id, hour)
  ) STRICT;
  CREATE TABLE signer (chain_id INTEGER PRIMARY KEY, address TEXT NOT NULL) STRICT;
  CREATE TABLE paymaster_contract (
    chain_id INTEGER NOT NULL, version TEXT NOT NULL, address TEXT NOT NULL, checked INTEGER NOT NULL,
    PRIMARY KEY (chain_id, version)
  ) STRICT;
  CREATE TABLE fee_token (
    chain_id INTEGER NOT NULL, address_key TEXT NOT NULL, address TEXT NOT NULL,
    symbol TEXT NOT NULL, decimals INTEGER NOT NULL, premium TEXT NOT NULL, rate TEXT NOT NULL,
    pre_fund INTEGER NOT NULL, logo_url TEXT,
    PRIMARY KEY (chain_id, address_key)
  ) STRICT;
  CREATE TABLE sponsorship_pause (
    "only" INTEGER PRIMARY KEY CHECK ("only" = 1), since INTEGER NOT NULL, reason TEXT
  ) STRICT;
  CREATE TABLE sponsorship_resume ("only" INTEGER PRIMARY KEY CHECK ("only" = 1), times INTEGER NOT NULL) STRICT;
  INSERT INTO sponsorship_resume VALUES (1, 0);
  CREATE TABLE dapp_pause (
    paymaster_id TEXT PRIMARY KEY REFERENCES paymaster (paymaster_id), since INTEGER NOT NULL, reason TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE dapp_resume (
    paymaster_id TEXT PRIMARY KEY REFERENCES paymaster (paymaster_id), times INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE operator_transaction (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, chain_id INTEGER NOT NULL,
    paymaster_id TEXT REFERENCES paymaster (paymaster_id), open INTEGER NOT NULL, record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX operator_transaction_open ON operator_transaction (seq) WHERE open = 1;
  CREATE TABLE notification (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, subject TEXT NOT NULL,
    raised_at INTEGER NOT NULL, ended_at INTEGER, seen INTEGER NOT NULL DEFAULT 0, due INTEGER NOT NULL,
    title TEXT NOT NULL, body TEXT NOT NULL, decision_id TEXT
  ) STRICT;
  CREATE UNIQUE INDEX notification_open ON notification (kind, subject) WHERE ended_at IS NULL;
  CREATE INDEX notification_unseen ON notification (seq) WHERE seen = 0;
  CREATE INDEX notification_due ON notification (seq) WHERE due = 1;
  CREATE TABLE notification_webhook (
    "only" INTEGER PRIMARY KEY CHECK ("only" = 1), url TEXT NOT NULL, attempted_at INTEGER, error TEXT
  ) STRICT;
  -- What changes with each call is not in the table of the operators' settings.
  CREATE TABLE event_webhook (
    place INTEGER PRIMARY KEY AUTOINCREMENT, webhook_id TEXT NOT NULL UNIQUE,
    account_id TEXT REFERENCES account (account_id), paymaster_id TEXT REFERENCES paymaster (paymaster_id),
    url TEXT NOT NULL, events TEXT NOT NULL, active INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE event_position (
    webhook_id TEXT PRIMARY KEY REFERENCES event_webhook (webhook_id),
    entry INTEGER NOT NULL, part INTEGER NOT NULL, notification INTEGER NOT NULL,
    attempts INTEGER NOT NULL, failed_at INTEGER, next_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE event_delivery (
    delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id TEXT NOT NULL REFERENCES event_webhook (webhook_id), event_id TEXT NOT NULL,
    type TEXT NOT NULL, at INTEGER NOT NULL, source TEXT NOT NULL, position INTEGER NOT NULL,
    state TEXT NOT NULL, attempts INTEGER NOT NULL, attempted_at INTEGER NOT NULL, next_at INTEGER,
    status INTEGER, error TEXT,
    request_headers TEXT NOT NULL, request_body TEXT NOT NULL, response TEXT NOT NULL, ms INTEGER NOT NULL,
    CONSTRAINT event_delivery_event UNIQUE (webhook_id, event_id)
  ) STRICT;
  CREATE INDEX event_delivery_due ON event_delivery (webhook_id, next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX event_delivery_of_state ON event_delivery (webhook_id, state, delivery_id);
  CREATE TABLE alert_channel (
    place INTEGER PRIMARY KEY AUTOINCREMENT, channel_id TEXT NOT NULL UNIQUE,
    account_id TEXT REFERENCES account (account_id), kind TEXT NOT NULL, host TEXT NOT NULL,
    recipient TEXT, sender TEXT, quiet TEXT, active INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE alert_attempt (
    channel_id TEXT PRIMARY KEY REFERENCES alert_channel (channel_id),
    attempts INTEGER NOT NULL, next_at INTEGER NOT NULL, attempted_at INTEGER, error TEXT
  ) STRICT;
  CREATE TABLE alert_due (
    channel_id TEXT NOT NULL REFERENCES alert_channel (channel_id), notification INTEGER NOT NULL,
    is_end INTEGER NOT NULL, PRIMARY KEY (channel_id, notification)
  ) STRICT, WITHOUT ROWID;

  -- A decision is an entry of the log: its number is its position there, and its record is the entry's body. In a
  -- review, decisions are no entries: they have no hash.
  CREATE TABLE decision (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL,
    paymaster_id TEXT NOT NULL REFERENCES paymaster (paymaster_id), sender TEXT NOT NULL, outcome TEXT NOT NULL,
    user_op_hash TEXT, settlement TEXT, actual_cost_wei TEXT, record TEXT NOT NULL,
    chain_id INTEGER, valid_until INTEGER, settled_block INTEGER, rule TEXT, reserves TEXT,
    entered_at INTEGER, hash BLOB
  ) STRICT;
  CREATE INDEX decision_of_paymaster ON decision (paymaster_id, seq);
  CREATE INDEX decision_of_outcome ON decision (outcome, seq) WHERE outcome <> 'sponsored';
  CREATE INDEX decision_open ON decision (chain_id, seq) WHERE settlement = 'reserved';
  CREATE INDEX decision_expiry ON decision (chain_id, valid_until) WHERE settlement = 'reserved';
  CREATE INDEX decision_settled ON decision (chain_id, settled_block) WHERE settled_block IS NOT NULL;
  CREATE INDEX decision_of_rule ON decision (rule, seq) WHERE rule IS NOT NULL;
  CREATE INDEX decision_paid ON decision (paymaster_id, at, seq, actual_cost_wei) WHERE settlement = 'settled';
  CREATE INDEX decision_unmatched ON decision (chain_id, at)
    WHERE settlement = 'unconfirmed' AND settled_block IS NOT NULL;
  CREATE TABLE decision_hash (
    user_op_hash TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (user_op_hash, seq)
  ) STRICT, WITHOUT ROWID;
  -- What the chain says of settled operations. The columns from the bundler on are of the receipt.
  CREATE TABLE mined_operation (
    seq INTEGER PRIMARY KEY, chain_id INTEGER NOT NULL, block_hash TEXT NOT NULL, transaction_hash TEXT NOT NULL,
    success INTEGER NOT NULL, gas_used TEXT NOT NULL, gas_cost_wei TEXT NOT NULL,
    bundler TEXT, bundle_gas TEXT, charged_gas TEXT, base_fee_wei TEXT, l1_fee_wei TEXT, coin_usd TEXT
  ) STRICT;
  CREATE INDEX mined_operation_unread ON mined_operation (chain_id, seq) WHERE bundler IS NULL;
  CREATE TABLE shadow_result (
    rule_id TEXT NOT NULL, cycle INTEGER NOT NULL, decision_seq INTEGER NOT NULL, would_deny INTEGER NOT NULL,
    PRIMARY KEY (rule_id, cycle, would_deny, decision_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE search_lot (lot INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT;
  CREATE TABLE search_gram (
    lot INTEGER NOT NULL, gram INTEGER NOT NULL, places BLOB NOT NULL, PRIMARY KEY (lot, gram)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE watched_paymaster (
    chain_id INTEGER NOT NULL, entry_point TEXT NOT NULL, paymaster TEXT NOT NULL,
    PRIMARY KEY (chain_id, entry_point, paymaster)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE chain_cursor (chain_id INTEGER PRIMARY KEY, block INTEGER NOT NULL) STRICT;
  CREATE TABLE ledger_account (
    account_id INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL,
    "window" INTEGER NOT NULL, "user" TEXT NOT NULL, held TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX ledger_account_key ON ledger_account (kind, id, "window", "user");
  -- The accounts of limits: a row for each user, with the amounts in the order of the names in the row's group.
  CREATE TABLE limit_group (group_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, limits TEXT NOT NULL) STRICT;
  CREATE TABLE limit_row (
    row_id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL REFERENCES limit_group (group_id),
    "user" TEXT NOT NULL, held TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX limit_row_key ON limit_row (group_id, "user");
  CREATE TABLE ledger_hold (
    hold_id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL, amount TEXT NOT NULL, engine INTEGER NOT NULL
  ) STRICT;
  -- With a base, the text is the change to that revision, otherwise the whole policy.
  CREATE TABLE policy_revision (
    hash TEXT PRIMARY KEY, paymaster_id TEXT NOT NULL, at INTEGER NOT NULL, base TEXT, policy TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE policy_history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, paymaster_id TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES policy_revision (hash), at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX policy_history_of_dapp ON policy_history (paymaster_id, seq);

  CREATE TABLE desk ("only" INTEGER PRIMARY KEY CHECK ("only" = 1), desk_id TEXT NOT NULL) STRICT;
  INSERT INTO desk VALUES (1, lower(hex(randomblob(16))));
  CREATE TABLE log_entry (
    position INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, hash BLOB NOT NULL, settles INTEGER,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX log_entry_of_kind ON log_entry (kind, position);
  CREATE VIEW log AS
    SELECT position, at, kind, hash, body FROM log_entry
    UNION ALL SELECT seq, entered_at, 'decision', hash, record FROM decision WHERE hash IS NOT NULL;
  CREATE TABLE log_tile (
    level INTEGER NOT NULL, tile INTEGER NOT NULL, hashes BLOB NOT NULL, root BLOB NOT NULL, PRIMARY KEY (level, tile)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE log_checkpoint (size INTEGER PRIMARY KEY, at INTEGER NOT NULL, note TEXT NOT NULL) STRICT;
  CREATE TABLE operator_change (
    change_id INTEGER PRIMARY KEY AUTOINCREMENT, call TEXT NOT NULL, subject TEXT NOT NULL, id TEXT NOT NULL,
    before TEXT, after TEXT
  ) STRICT;
`;
