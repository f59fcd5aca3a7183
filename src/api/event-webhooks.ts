import { z } from 'zod';
import { eventType, eventTypes } from '../shared/schema/event-type.ts';
import { httpUrl, id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const events = z.array(eventType).min(1).max(eventTypes.length);

/** Whose webhook it must be; without both, any. */
const owner = {
  accountId: id.optional().describe('Only a webhook of this account'),
  paymasterId: id.optional().describe('Only a webhook of this DApp'),
};

const eventWebhook = z.strictObject({
  webhookId: z.string(),
  accountId: z.string().nullable().describe('null unless it receives the events of the DApps of one account'),
  paymasterId: z.string().nullable().describe('null unless it receives the events of one DApp'),
  url: z.string().describe('Without a password'),
  events: z.array(eventType),
  active: z.boolean().describe('False: events wait until it is active again'),
  createdAt: z.number().describe('epoch ms'),
  failing: z
    .strictObject({
      attempts: z.number().describe('Calls with the next event so far'),
      since: z.number().describe('Time of the first of them, epoch ms'),
      nextAt: z.number().describe('Time of the next call, epoch ms'),
    })
    .nullable()
    .describe('null: no events wait for one that it does not accept'),
  aside: z
    .number()
    .describe('Number of events that it has not accepted and that are retried while later ones continue'),
});

export type EventWebhookView = z.output<typeof eventWebhook>;

const delivery = z.strictObject({
  deliveryId: z.number().describe('Counts upwards'),
  eventId: z.string().describe('The webhook-id of the calls'),
  type: eventType,
  at: z.number().describe('Time of the event, epoch ms'),
  state: z
    .enum(['delivered', 'failing', 'aside', 'givenUp', 'again'])
    .describe(
      'failing: it is retried, and later events wait; aside: it is retried, and later events continue; again: you asked for another call',
    ),
  attempts: z.number(),
  attemptedAt: z.number().describe('Time of the last call, epoch ms'),
  nextAt: z.number().nullable().describe('Time of the next call, epoch ms; null unless the state is aside or again'),
  status: z.number().nullable().describe('null: there was no answer'),
  error: z.string().nullable().describe('null: the last call succeeded'),
  requestHeaders: z.record(z.string(), z.string()),
  requestBody: z.string().describe('Its first 16,384 characters'),
  response: z.string().describe('The first 16,384 characters of the body of the answer'),
  ms: z.number().describe('Time that the last call took'),
});

export type EventDeliveryView = z.output<typeof delivery>;

export const eventWebhookProcedures = {
  'eventWebhooks.create': procedure({
    summary: 'Add an event webhook. Its secret is shown only now',
    input: z.strictObject({
      accountId: id.optional().describe('Only events of the DApps of this account'),
      paymasterId: id.optional().describe('Only events of this DApp. Without both: of the whole desk'),
      url: httpUrl,
      events: events.optional().describe('Event types to send; default: all'),
    }),
    output: z.strictObject({ ...eventWebhook.shape, secret: z.string().describe('Signs its calls: whsec_…') }),
    errors: ['PAYMASTER_NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'VAULT_LOCKED', 'DATA_FOLDER_UNUSABLE', 'TOO_MANY'],
  }),
  'eventWebhooks.list': procedure({
    summary: 'List event webhooks, oldest first',
    input: z.strictObject(owner),
    output: z.array(eventWebhook),
  }),
  'eventWebhooks.update': procedure({
    summary: 'Change the URL or the events of an event webhook, pause it, or unpause it',
    input: z.strictObject({
      ...owner,
      webhookId: id,
      url: httpUrl.optional(),
      events: events.optional(),
      active: z.boolean().optional(),
    }),
    output: eventWebhook,
    errors: ['WEBHOOK_NOT_FOUND', 'VAULT_LOCKED', 'DATA_FOLDER_UNUSABLE'],
  }),
  'eventWebhooks.delete': procedure({
    summary: 'Remove an event webhook and its deliveries',
    input: z.strictObject({ ...owner, webhookId: id }),
    errors: ['WEBHOOK_NOT_FOUND'],
  }),
  'eventWebhooks.deliveries': procedure({
    summary: 'List the newest deliveries of an event webhook, each with its last request and answer',
    input: z.strictObject({
      ...owner,
      webhookId: id,
      before: z.int().optional().describe('Only deliveries before this deliveryId'),
      limit: z.int().min(1).max(100).default(20),
    }),
    output: z.array(delivery),
    errors: ['WEBHOOK_NOT_FOUND'],
  }),
  'eventWebhooks.redeliver': procedure({
    summary: 'Send an event once more, or all events that were given up',
    input: z.strictObject({
      ...owner,
      webhookId: id,
      deliveryId: z.int().optional().describe('Without it: all that were given up'),
    }),
    output: z.strictObject({ deliveries: z.number().describe('Number of events that are sent again') }),
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
  }),
};
