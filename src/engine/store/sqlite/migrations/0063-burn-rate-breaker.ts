import type { Migration } from './migration.ts';

/**
 * Maximum that a chain may sign for within a time: wei and seconds, null for no limit. Each time that sponsorship
 * resumes, the counting restarts.
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
