import { alertOperations } from './alerts.ts';
import { apiKeyOperations } from './api-keys.ts';
import { contractOperations } from './contracts.ts';
import { eventWebhookOperations } from './event-webhooks.ts';
import type { Operation } from './operation.ts';
import { requestOperations } from './requests.ts';
import { dappOperations } from './dapps.ts';
import { ruleOperations } from './rules.ts';
import { webhookOperations } from './webhooks.ts';

/** Behaviour 8.1. */
export const MANAGEMENT_PREFIX = '/api/v2/public/sdk';

export const operations: readonly Operation[] = [
  ...webhookOperations,
  ...dappOperations,
  ...contractOperations,
  ...ruleOperations,
  ...apiKeyOperations,
  ...eventWebhookOperations,
  ...alertOperations,
  ...requestOperations,
];
