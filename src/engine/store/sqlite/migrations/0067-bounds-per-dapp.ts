import type { Migration } from './migration.ts';

/**
 * What keeps one DApp from holding up the others. `max_expiry_s`: the most seconds that a request may ask for as
 * `expiryDuration`, one hour also for the DApps of before. A row of `dapp_pause` stands while one DApp alone is paused,
 * since epoch ms; each time that such a pause ends, the DApp's part of a breaker is counted anew.
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
