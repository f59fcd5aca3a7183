import type { Migration } from './migration.ts';

/**
 * The feed of decisions: one row per new decision, and per change of its settlement or actual cost. Positions grow in
 * commit order, so a reader that knows its last position gets everything after it. A trigger writes all changes. The
 * row of a new decision is written with it, since a trigger would make SQLite open a journal for each insert and check
 * the tables that refer to it. Existing decisions are at their own `seq`.
 */
export const decisionFeed: Migration = {
  version: 68,
  sql: `
    CREATE TABLE decision_feed (
      position INTEGER PRIMARY KEY, seq INTEGER NOT NULL, is_new INTEGER NOT NULL
    ) STRICT;
    INSERT INTO decision_feed SELECT seq, seq, 1 FROM decision;
    CREATE TRIGGER decision_changed AFTER UPDATE OF settlement, actual_cost_wei ON decision
      WHEN new.settlement IS NOT old.settlement OR new.actual_cost_wei IS NOT old.actual_cost_wei
    BEGIN
      INSERT INTO decision_feed (seq, is_new) VALUES (new.seq, 0);
    END;
  `,
};
