import type { Migration } from './migration.ts';

/**
 * Prevents one DApp from delaying the others. `max_expiry_s`: maximum `expiryDuration` of a request in seconds, one
 * hour for existing DApps too. A row of `dapp_pause` exists while a DApp has its own pause, since epoch ms; each time
 * that such a pause ends, counting of the DApp's part of a breaker restarts.
 */
export const boundsPerDapp: Migration = {
  version: 67,
  sql: `
    ALTER TABLE paymaster ADD COLUMN max_expiry_s INTEGER NOT NULL DEFAULT 3600;
    CREATE TABLE dapp_pause (
      paymaster_id TEXT PRIMARY KEY REFERENCES paymaster, since INTEGER NOT NULL, reason TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE dapp_resume (
      paymaster_id TEXT PRIMARY KEY REFERENCES paymaster, times INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
