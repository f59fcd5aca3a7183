import type { Migration } from './migration.ts';

/** Whether users of a DApp may pay in tokens. Existing DApps keep it; a new one sets it explicitly. */
export const tokenMode: Migration = {
  version: 135,
  sql: 'ALTER TABLE paymaster ADD COLUMN token_mode INTEGER NOT NULL DEFAULT 1;',
};
