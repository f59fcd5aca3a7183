import type { Migration } from './migration.ts';

/**
 * Observed base fee and tips of each chain, and whether the operator has switched its breaker off. Chains without a
 * breaker get the default one: its absence was no explicit choice before.
 */
export const believedFees: Migration = {
  version: 130,
  sql: `
    CREATE TABLE chain_base_fee (
      chain_id INTEGER PRIMARY KEY, block INTEGER NOT NULL, base_fee_wei TEXT NOT NULL, seen_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE chain_tip (
      chain_id INTEGER NOT NULL, hour INTEGER NOT NULL, lowest_wei TEXT NOT NULL, PRIMARY KEY (chain_id, hour)
    ) STRICT;
    ALTER TABLE chain ADD COLUMN breaker_off INTEGER NOT NULL DEFAULT 0;
  `,
};
