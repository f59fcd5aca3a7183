import type { Migration } from './migration.ts';

/** The signature that proved a change of the funding wallet; null for changes from before it was stored. */
export const fundingProof: Migration = {
  version: 61,
  sql: `
    ALTER TABLE funding_wallet_change ADD COLUMN signature TEXT;
    CREATE INDEX funding_wallet_change_of_paymaster ON funding_wallet_change (paymaster_id);
  `,
};
