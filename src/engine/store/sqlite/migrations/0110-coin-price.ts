import type { Migration } from './migration.ts';

/** What a chain's coin is worth, as JSON of its source; and of what is reserved in dollars, the maximum cost it stands for. */
export const coinPrice: Migration = {
  version: 110,
  sql: `
    ALTER TABLE chain ADD COLUMN price TEXT;
    ALTER TABLE ledger_reservation ADD COLUMN of_wei TEXT;
  `,
};
