import { z } from 'zod';

/** The events that event webhooks receive (behaviour 10.2), in the order of lists. */
export const eventTypes = [
  'operation.sponsored',
  'operation.denied',
  'operation.settled',
  'operation.reverted',
  'operation.expired',
  'limit.reached',
  'tank.low',
  'breaker.tripped',
  'node.unreachable',
  'backup.failed',
  'policy.changed',
] as const;

export const eventType = z.enum(eventTypes);

export type EventType = z.output<typeof eventType>;
