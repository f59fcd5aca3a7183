import type { Migration } from './migration.ts';

/** Tokens in which users may pay, and the chain data that token mode needs. `rate` is JSON by its source. */
export const feeTokens: Migration = {
  version: 40,
  sql: `
    ALTER TABLE chain ADD COLUMN treasury TEXT;
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
  `,
};
