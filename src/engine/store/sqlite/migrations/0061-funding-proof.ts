import type { Migration } from './migration.ts';

/** The signature that proved a change of the funding wallet; null for changes of before it was kept. */
export const fundingProof: Migration = {
  version: 61,
  sql: `
    ALTER TABLE funding_wallet_change ADD COLUMN signature TEXT;
    CREATE INDEX funding_wallet_change_of_paymaster ON funding_wallet_change (paymaster_id);
  `,
};
