import type { Migration } from './migration.ts';

/** Whether all sponsorship is paused: one row while it is, otherwise none. `since` is epoch ms. */
export const pause: Migration = {
  version: 60,
  sql: `
    CREATE TABLE sponsorship_pause (
      only INTEGER PRIMARY KEY CHECK (only = 1), since INTEGER NOT NULL, reason TEXT
    ) STRICT;
  `,
};
