import { settingsTables as tablesWith } from '../tables/settings-tables.ts';

const types = { integer: 'INTEGER', key: 'TEXT', counter: 'INTEGER PRIMARY KEY', place: '', options: 'STRICT' };

export const settingsTables = `
  ${tablesWith(types)}
  CREATE TABLE chain_base_fee (
    chain_id INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    base_fee_wei TEXT NOT NULL,
    seen_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE chain_tip (
    chain_id INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    lowest_wei TEXT NOT NULL,
    PRIMARY KEY (chain_id, hour)
  ) STRICT;
`;
