import type { Migration } from './migration.ts';

/** Whether users of a DApp may pay in tokens. The DApps of before keep it; a new one says so itself. */
export const tokenMode: Migration = {
  version: 135,
  sql: 'ALTER TABLE paymaster ADD COLUMN token_mode INTEGER NOT NULL DEFAULT 1;',
};
