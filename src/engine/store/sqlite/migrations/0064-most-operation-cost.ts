import type { Migration } from './migration.ts';

/** The most wei that one operation may cost on a chain, decimal; null: as the chain's prices say. */
export const mostOperationCost: Migration = {
  version: 64,
  sql: 'ALTER TABLE chain ADD COLUMN max_operation_cost_wei TEXT;',
};
