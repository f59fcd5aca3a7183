import type { Migration } from './migration.ts';

/** Maximum cost of one operation on a chain, decimal wei; null: according to the chain's prices. */
export const mostOperationCost: Migration = {
  version: 64,
  sql: 'ALTER TABLE chain ADD COLUMN max_operation_cost_wei TEXT;',
};
