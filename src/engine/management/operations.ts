import { apiKeyOperations } from './api-keys.ts';
import { contractOperations } from './contracts.ts';
import type { Operation } from './operation.ts';
import { paymasterOperations } from './paymasters.ts';
import { ruleOperations } from './rules.ts';
import { webhookOperations } from './webhooks.ts';

/** Where the management interface lives (behaviour 8.1). */
export const MANAGEMENT_PREFIX = '/api/v2/public/sdk';

/** Every operation of the management interface. */
export const operations: readonly Operation[] = [
  ...webhookOperations,
  ...paymasterOperations,
  ...contractOperations,
  ...ruleOperations,
  ...apiKeyOperations,
];
