import type { Migration } from './migration.ts';

/**
 * Price of a chain's coin, as JSON of its source; and for reservations in dollars, the maximum cost that they stand
 * for.
 */
export const coinPrice: Migration = {
  version: 110,
  sql: `
    ALTER TABLE chain ADD COLUMN price TEXT;
    ALTER TABLE ledger_reservation ADD COLUMN of_wei TEXT;
  `,
};
