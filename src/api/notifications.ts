import { z } from 'zod';
import { httpUrl } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

export const notificationKind = z.enum([
  'tankLow',
  'tankEmpty',
  'denials',
  'webhook',
  'node',
  'breaker',
  'paused',
  'reputation',
  'backup',
  'eventWebhook',
]);

export type NotificationKind = z.output<typeof notificationKind>;

const notification = z.strictObject({
  id: z.string(),
  seq: z.number().describe('Counts upwards'),
  kind: notificationKind,
  title: z.string(),
  body: z.string(),
  raisedAt: z.number().describe('epoch ms'),
  endedAt: z.number().nullable().describe('epoch ms; null while it lasts'),
  seen: z.boolean(),
  page: z.string().describe('Address of the console page where the operator can act'),
});

export type NotificationView = z.output<typeof notification>;

const webhook = z.strictObject({
  url: z.string().nullable().describe('Without a password; null: notifications are not sent'),
  attemptedAt: z.number().nullable().describe('Time of the last call, epoch ms; null before the first call'),
  error: z.string().nullable().describe('Why the last call failed; null if it succeeded'),
  waiting: z.number().describe('Number of notifications that are still to be sent'),
});

export const notificationProcedures = {
  'notifications.list': procedure({
    summary: 'List notifications, newest first. Of those that have ended, only the newest 500 are kept',
    input: z.strictObject({ limit: z.int().min(1).max(500).default(100) }),
    output: z.strictObject({ unseen: z.number().describe('Of all'), notifications: z.array(notification) }),
  }),
  'notifications.markSeen': procedure({
    summary: 'Mark notifications as seen, up to one of them',
    input: z.strictObject({ upTo: z.int().min(0).describe('Its seq') }),
  }),
  'notifications.webhook': procedure({
    summary: 'Show where notifications are sent, and the result of the last call',
    output: webhook,
  }),
  'notifications.setWebhook': procedure({
    summary: 'Set the URL to which notifications are sent, or remove it',
    input: z.strictObject({ url: httpUrl.nullable() }),
    output: webhook,
    errors: ['VAULT_LOCKED', 'DATA_FOLDER_UNUSABLE'],
  }),
  'notifications.secret': procedure({
    summary: 'Show the secret that signs calls with notifications',
    output: z.strictObject({ secret: z.string() }),
    errors: ['VAULT_LOCKED'],
  }),
  'notifications.test': procedure({
    summary: 'Send a test notification to the URL, once',
    output: z.strictObject({ ok: z.boolean(), message: z.string().describe('The result as text') }),
    errors: ['WEBHOOK_NOT_FOUND'],
  }),
};
