import type { Migration } from './migration.ts';

/**
 * Signatures for version 1.0.0 never expire, though decisions said that they did: reserved ones stay reserved until
 * they are mined or their nonce is used (`valid_until` 0: no expiry). Also, an index of the few decisions that an
 * operation without a certain decision left unconfirmed, by the block it was mined in.
 */
export const endlessReservations: Migration = {
  version: 66,
  sql: `
    UPDATE decision SET valid_until = 0
    WHERE settlement = 'reserved' AND substr(record ->> 'paymasterAndData', 1, 42) IN (
      SELECT lower(address) FROM paymaster_contract
      WHERE paymaster_contract.chain_id = decision.chain_id AND version = '1.0.0');
    CREATE INDEX decision_unmatched ON decision (chain_id, at)
      WHERE settlement = 'unconfirmed' AND settled_block IS NOT NULL;
  `,
};
