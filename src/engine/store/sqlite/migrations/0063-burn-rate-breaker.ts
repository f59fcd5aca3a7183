import type { Migration } from './migration.ts';

/**
 * The most that a chain may sign for in a time: wei and seconds, null where there is no bound. Each time that
 * sponsorship is resumed the counting begins anew.
 */
export const burnRateBreaker: Migration = {
  version: 63,
  sql: `
    ALTER TABLE chain ADD COLUMN breaker_wei TEXT;
    ALTER TABLE chain ADD COLUMN breaker_seconds INTEGER;
    CREATE TABLE sponsorship_resume (
      only INTEGER PRIMARY KEY CHECK (only = 1), times INTEGER NOT NULL
    ) STRICT;
    INSERT INTO sponsorship_resume VALUES (1, 0);
  `,
};
