import type { Migration } from './migration.ts';

/** Maximum that a chain may sign for while its node is unreachable: wei; null: nothing. */
export const unreachableBudget: Migration = {
  version: 65,
  sql: 'ALTER TABLE chain ADD COLUMN unreachable_budget_wei TEXT',
};
