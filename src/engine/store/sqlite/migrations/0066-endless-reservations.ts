import type { Migration } from './migration.ts';

/**
 * What is signed for version 1.0.0 never expires, though decisions said that it did: those that are reserved stay so
 * until they are mined or their nonce is used (`valid_until` 0: no expiry). And an index of the few decisions that an
 * operation without a certain decision has left unconfirmed, by the block it was mined in.
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
