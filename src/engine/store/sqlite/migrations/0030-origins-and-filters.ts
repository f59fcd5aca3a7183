import type { Migration } from './migration.ts';

/**
 * Origins from which browsers may use a DApp's API key, and further search columns of decisions besides DApp and
 * outcome. Only denials have a rule: its index costs a sponsored operation nothing. An index of senders would cost
 * every decision a random page, a fifth more CPU for its insert; decisions of a sender are found by reading in batches.
 */
export const originsAndFilters: Migration = {
  version: 30,
  sql: `
    ALTER TABLE paymaster ADD COLUMN allowed_origins TEXT NOT NULL DEFAULT '["*"]';
    ALTER TABLE decision ADD COLUMN rule TEXT;
    UPDATE decision SET rule = record ->> 'rule';
    CREATE INDEX decision_of_rule ON decision (rule, seq) WHERE rule IS NOT NULL;
  `,
};
