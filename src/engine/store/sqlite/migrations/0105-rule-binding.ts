import type { Migration } from './migration.ts';

/**
 * When a rule applies, and what rules in shadow would have done: a row for each decision that one of them evaluated,
 * while its cycle lasts.
 */
export const ruleBinding: Migration = {
  version: 105,
  sql: `
    ALTER TABLE rule ADD COLUMN binding TEXT NOT NULL DEFAULT '{}';
    CREATE TABLE shadow_result (
      rule_id TEXT NOT NULL,
      cycle INTEGER NOT NULL,
      decision_seq INTEGER NOT NULL,
      would_deny INTEGER NOT NULL,
      PRIMARY KEY (rule_id, cycle, would_deny, decision_seq)
    ) STRICT, WITHOUT ROWID;
  `,
};
