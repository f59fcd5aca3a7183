import type { Migration } from './migration.ts';

/**
 * Scope, expiry and last use of auth tokens; several API keys for a DApp. Existing tokens keep their rights. A DApp's
 * existing key becomes its first, with the DApp's id; `paymaster.api_key` is the key that is shown.
 */
export const tokensAndKeys: Migration = {
  version: 120,
  sql: `
    ALTER TABLE auth_token ADD COLUMN scope TEXT NOT NULL DEFAULT 'manage' CHECK (scope IN ('read', 'manage', 'dapp'));
    ALTER TABLE auth_token ADD COLUMN paymaster_id TEXT REFERENCES paymaster;
    ALTER TABLE auth_token ADD COLUMN expires_at INTEGER;
    ALTER TABLE auth_token ADD COLUMN last_used_at INTEGER;
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
    INSERT INTO api_key (key_id, paymaster_id, api_key, label, created_at)
      SELECT paymaster_id, paymaster_id, api_key, 'first', created_at FROM paymaster;
  `,
};
