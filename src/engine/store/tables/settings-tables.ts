/** What differs between the two databases. */
export interface Dialect {
  readonly integer: string;
  readonly bytes: string;
  /** Follows a text column that must be compared byte by byte, as SQLite compares every text. */
  readonly bytewise: string;
  /** A primary key that counts up. */
  readonly counter: string;
  /** Follows a counter whose numbers are not reused for other rows. */
  readonly neverReused: string;
  /** A comma and the column that numbers rows in the order of insertion. Empty on SQLite, which has the rowid. */
  readonly place: string;
  /** Options of a table. */
  readonly options: string;
  /** Options of a table that is read by its primary key. */
  readonly keyed: string;
  /** Options of a table whose rows change, of which pages are filled to this percentage. */
  readonly changing: (percentage: number) => string;
  /** A random id of 32 hex digits. */
  readonly newId: string;
}

/** SQL of the tables for the operators' settings, credentials, and allowed origins. */
export const settingsTables = ({ integer, bytewise, counter, place, options }: Dialect): string => {
  const key = `TEXT${bytewise}`;
  return `
  CREATE TABLE account (account_id ${key} PRIMARY KEY, name TEXT NOT NULL, created_at ${integer} NOT NULL${place}) ${options};
  CREATE TABLE paymaster (
    paymaster_id ${key} PRIMARY KEY,
    account_id ${key} NOT NULL REFERENCES account,
    name ${key} NOT NULL,
    chain_id ${integer} NOT NULL,
    api_key ${key} NOT NULL UNIQUE,
    version TEXT NOT NULL,
    funding_wallet TEXT,
    rule_revision ${integer} NOT NULL DEFAULT 0,
    created_at ${integer} NOT NULL,
    allowed_origins TEXT NOT NULL DEFAULT '["*"]',
    low_tank_wei TEXT,
    max_expiry_s ${integer} NOT NULL DEFAULT 3600,
    sponsor TEXT,
    token_mode ${integer} NOT NULL DEFAULT 1${place},
    CONSTRAINT paymaster_name UNIQUE (account_id, chain_id, name)
  ) ${options};
  CREATE TABLE auth_token (
    token_id ${key} PRIMARY KEY,
    account_id ${key} NOT NULL REFERENCES account,
    hash ${key} NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    revoked_at ${integer},
    scope TEXT NOT NULL DEFAULT 'manage' CHECK (scope IN ('read', 'manage', 'dapp')),
    paymaster_id ${key} REFERENCES paymaster,
    expires_at ${integer},
    last_used_at ${integer}${place}
  ) ${options};
  CREATE TABLE api_key (
    key_id ${key} PRIMARY KEY,
    paymaster_id ${key} NOT NULL REFERENCES paymaster,
    api_key ${key} NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    last_used_at ${integer},
    revoked_at ${integer}${place}
  ) ${options};
  CREATE INDEX api_key_of_paymaster ON api_key (paymaster_id, created_at);
  CREATE TABLE funding_message (
    paymaster_id ${key} PRIMARY KEY REFERENCES paymaster,
    message TEXT NOT NULL,
    issued_at ${integer} NOT NULL
  ) ${options};
  CREATE TABLE funding_wallet_change (
    change_id ${counter},
    paymaster_id ${key} NOT NULL REFERENCES paymaster,
    funding_wallet TEXT NOT NULL,
    message TEXT NOT NULL,
    changed_at ${integer} NOT NULL,
    signature TEXT
  ) ${options};
  CREATE INDEX funding_wallet_change_of_paymaster ON funding_wallet_change (paymaster_id);
  CREATE TABLE smart_contract (
    rule_id ${key} PRIMARY KEY,
    paymaster_id ${key} NOT NULL REFERENCES paymaster,
    name ${key} NOT NULL,
    address TEXT NOT NULL,
    address_key ${key} NOT NULL,
    abi TEXT NOT NULL,
    methods TEXT NOT NULL,
    whitelisted_methods TEXT NOT NULL,
    active ${integer} NOT NULL${place},
    CONSTRAINT smart_contract_address_key UNIQUE (paymaster_id, address_key),
    CONSTRAINT smart_contract_name UNIQUE (paymaster_id, name)
  ) ${options};
  CREATE TABLE rule (
    rule_id ${key} PRIMARY KEY,
    paymaster_id ${key} NOT NULL REFERENCES paymaster,
    name ${key} NOT NULL,
    policy_type TEXT NOT NULL,
    policy_data TEXT NOT NULL,
    active ${integer} NOT NULL,
    cycle ${integer} NOT NULL DEFAULT 0,
    binding TEXT NOT NULL DEFAULT '{}'${place},
    CONSTRAINT rule_name UNIQUE (paymaster_id, name)
  ) ${options};
  CREATE TABLE webhook (
    webhook_id ${key} PRIMARY KEY,
    paymaster_id ${key} NOT NULL REFERENCES paymaster,
    webhook_url TEXT NOT NULL,
    request_type TEXT NOT NULL,
    active ${integer} NOT NULL${place}
  ) ${options};
  CREATE INDEX webhook_of_paymaster ON webhook (paymaster_id);
  CREATE TABLE chain (
    chain_id ${integer} PRIMARY KEY,
    name TEXT,
    symbol TEXT,
    rpc TEXT,
    bundler TEXT,
    treasury TEXT,
    breaker_wei TEXT,
    breaker_seconds ${integer},
    max_operation_cost_wei TEXT,
    unreachable_budget_wei TEXT,
    price TEXT,
    forward_bundler TEXT CHECK (forward_bundler IN ('own', 'all')),
    breaker_off ${integer} NOT NULL DEFAULT 0,
    gas_schedule TEXT,
    gas_schedule_reading TEXT
  ) ${options};
  CREATE TABLE signer (chain_id ${integer} PRIMARY KEY, address TEXT NOT NULL) ${options};
  CREATE TABLE paymaster_contract (
    chain_id ${integer} NOT NULL,
    version ${key} NOT NULL,
    address TEXT NOT NULL,
    checked ${integer} NOT NULL,
    PRIMARY KEY (chain_id, version)
  ) ${options};
  CREATE TABLE fee_token (
    chain_id ${integer} NOT NULL,
    address_key ${key} NOT NULL,
    address TEXT NOT NULL,
    symbol TEXT NOT NULL,
    decimals ${integer} NOT NULL,
    premium TEXT NOT NULL,
    rate TEXT NOT NULL,
    pre_fund ${integer} NOT NULL,
    logo_url TEXT,
    PRIMARY KEY (chain_id, address_key)
  ) ${options};
`;
};
