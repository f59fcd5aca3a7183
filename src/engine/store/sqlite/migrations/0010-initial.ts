import type { Migration } from './migration.ts';

/** Accounts, DApps and what decides for them, chains, gas-tank promises and decisions. Amounts are decimal wei. */
export const initial: Migration = {
  version: 10,
  sql: `
    CREATE TABLE account (
      account_id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE auth_token (
      token_id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES account,
      hash TEXT NOT NULL UNIQUE,
      label TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      revoked_at INTEGER
    ) STRICT;
    CREATE TABLE paymaster (
      paymaster_id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES account,
      name TEXT NOT NULL,
      chain_id INTEGER NOT NULL,
      api_key TEXT NOT NULL UNIQUE,
      version TEXT NOT NULL,
      funding_wallet TEXT,
      rule_revision INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      CONSTRAINT paymaster_name UNIQUE (account_id, chain_id, name)
    ) STRICT;
    CREATE TABLE funding_message (
      paymaster_id TEXT PRIMARY KEY REFERENCES paymaster, message TEXT NOT NULL, issued_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE funding_wallet_change (
      change_id INTEGER PRIMARY KEY,
      paymaster_id TEXT NOT NULL REFERENCES paymaster,
      funding_wallet TEXT NOT NULL,
      message TEXT NOT NULL,
      changed_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE smart_contract (
      rule_id TEXT PRIMARY KEY,
      paymaster_id TEXT NOT NULL REFERENCES paymaster,
      name TEXT NOT NULL,
      address TEXT NOT NULL,
      address_key TEXT NOT NULL,
      abi TEXT NOT NULL,
      methods TEXT NOT NULL,
      whitelisted_methods TEXT NOT NULL,
      active INTEGER NOT NULL,
      UNIQUE (paymaster_id, address_key),
      UNIQUE (paymaster_id, name)
    ) STRICT;
    CREATE TABLE rule (
      rule_id TEXT PRIMARY KEY,
      paymaster_id TEXT NOT NULL REFERENCES paymaster,
      name TEXT NOT NULL,
      policy_type TEXT NOT NULL,
      policy_data TEXT NOT NULL,
      active INTEGER NOT NULL,
      UNIQUE (paymaster_id, name)
    ) STRICT;
    CREATE TABLE webhook (
      webhook_id TEXT PRIMARY KEY,
      paymaster_id TEXT NOT NULL REFERENCES paymaster,
      webhook_url TEXT NOT NULL,
      request_type TEXT NOT NULL,
      active INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX webhook_of_paymaster ON webhook (paymaster_id);
    CREATE TABLE chain (
      chain_id INTEGER PRIMARY KEY, name TEXT, symbol TEXT, rpc TEXT, bundler TEXT
    ) STRICT;
    CREATE TABLE signer (
      chain_id INTEGER PRIMARY KEY, address TEXT NOT NULL
    ) STRICT;
    CREATE TABLE paymaster_contract (
      chain_id INTEGER NOT NULL,
      version TEXT NOT NULL,
      address TEXT NOT NULL,
      checked INTEGER NOT NULL,
      PRIMARY KEY (chain_id, version)
    ) STRICT;
    CREATE TABLE decision (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      paymaster_id TEXT NOT NULL REFERENCES paymaster,
      sender TEXT NOT NULL,
      outcome TEXT NOT NULL,
      user_op_hash TEXT,
      settlement TEXT,
      actual_cost_wei TEXT,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX decision_of_paymaster ON decision (paymaster_id, seq);
    CREATE INDEX decision_of_outcome ON decision (outcome, seq);
    CREATE TABLE tank (
      tank_id TEXT PRIMARY KEY, promised_wei TEXT NOT NULL
    ) STRICT;
    CREATE TABLE tank_promise (
      decision_seq INTEGER PRIMARY KEY REFERENCES decision,
      tank_id TEXT NOT NULL REFERENCES tank,
      amount_wei TEXT NOT NULL,
      release_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX tank_promise_due ON tank_promise (tank_id, release_at);
  `,
};
