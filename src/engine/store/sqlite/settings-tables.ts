/** Tables of the operators' settings, and of who may use the desk, and where. */
export const settingsTables = `
  CREATE TABLE account (account_id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
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
    allowed_origins TEXT NOT NULL DEFAULT '["*"]',
    low_tank_wei TEXT,
    max_expiry_s INTEGER NOT NULL DEFAULT 3600,
    sponsor TEXT,
    token_mode INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT paymaster_name UNIQUE (account_id, chain_id, name)
  ) STRICT;
  CREATE TABLE auth_token (
    token_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account,
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    scope TEXT NOT NULL DEFAULT 'manage' CHECK (scope IN ('read', 'manage', 'dapp')),
    paymaster_id TEXT REFERENCES paymaster,
    expires_at INTEGER,
    last_used_at INTEGER
  ) STRICT;
  CREATE TABLE api_key (
    key_id TEXT PRIMARY KEY,
    paymaster_id TEXT NOT NULL REFERENCES paymaster,
    api_key TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX api_key_of_paymaster ON api_key (paymaster_id, created_at);
  CREATE TABLE funding_message (
    paymaster_id TEXT PRIMARY KEY REFERENCES paymaster,
    message TEXT NOT NULL,
    issued_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE funding_wallet_change (
    change_id INTEGER PRIMARY KEY,
    paymaster_id TEXT NOT NULL REFERENCES paymaster,
    funding_wallet TEXT NOT NULL,
    message TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    signature TEXT
  ) STRICT;
  CREATE INDEX funding_wallet_change_of_paymaster ON funding_wallet_change (paymaster_id);
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
    cycle INTEGER NOT NULL DEFAULT 0,
    binding TEXT NOT NULL DEFAULT '{}',
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
    chain_id INTEGER PRIMARY KEY,
    name TEXT,
    symbol TEXT,
    rpc TEXT,
    bundler TEXT,
    treasury TEXT,
    breaker_wei TEXT,
    breaker_seconds INTEGER,
    max_operation_cost_wei TEXT,
    unreachable_budget_wei TEXT,
    price TEXT,
    breaker_off INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE chain_base_fee (
    chain_id INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    base_fee_wei TEXT NOT NULL,
    seen_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE chain_tip (
    chain_id INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    lowest_wei TEXT NOT NULL,
    PRIMARY KEY (chain_id, hour)
  ) STRICT;
  CREATE TABLE signer (chain_id INTEGER PRIMARY KEY, address TEXT NOT NULL) STRICT;
  CREATE TABLE paymaster_contract (
    chain_id INTEGER NOT NULL,
    version TEXT NOT NULL,
    address TEXT NOT NULL,
    checked INTEGER NOT NULL,
    PRIMARY KEY (chain_id, version)
  ) STRICT;
  CREATE TABLE fee_token (
    chain_id INTEGER NOT NULL,
    address_key TEXT NOT NULL,
    address TEXT NOT NULL,
    symbol TEXT NOT NULL,
    decimals INTEGER NOT NULL,
    premium TEXT NOT NULL,
    rate TEXT NOT NULL,
    pre_fund INTEGER NOT NULL,
    logo_url TEXT,
    PRIMARY KEY (chain_id, address_key)
  ) STRICT;
`;
