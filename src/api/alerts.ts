import { z } from 'zod';
import { alertKind, alertUrl, mailAddress, quietHours } from '../shared/schema/alert-channel.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const recipient = z.string().min(1).max(254).describe('Mail address, or the id of a Telegram chat');
const owner = { accountId: id.optional().describe('Only a channel of this account; without it, any') };

const channel = z.strictObject({
  channelId: z.string(),
  accountId: z.string().nullable().describe('null: it receives the alerts of the whole desk'),
  kind: alertKind,
  host: z.string().describe('Host of its URL. The URL itself is in the vault'),
  recipient: z.string().nullable(),
  sender: z.string().nullable(),
  quiet: quietHours.nullable(),
  active: z.boolean(),
  createdAt: z.number().describe('epoch ms'),
  attemptedAt: z.number().nullable().describe('Time of the last alert, epoch ms; null before the first'),
  error: z.string().nullable().describe('Why the last alert did not arrive; null if it did'),
});

export type AlertChannelView = z.output<typeof channel>;

const url = alertUrl.describe(
  'Incoming webhook of the chat, or smtps://user:password@host:465 or smtp://user:password@host:587',
);

export const alertProcedures = {
  'alerts.create': procedure({
    summary: 'Send alerts by mail, or to a chat that has an incoming webhook',
    input: z.strictObject({
      accountId: id.optional().describe('Only alerts that concern the DApps of this account'),
      kind: alertKind,
      url,
      recipient: recipient.optional().describe('Mail address, or the id of a Telegram chat; none for other chats'),
      sender: mailAddress.optional().describe('Mail address of the sender; none for chats'),
      quiet: quietHours.optional(),
    }),
    output: channel,
    errors: ['ACCOUNT_NOT_FOUND', 'VAULT_LOCKED', 'DATA_FOLDER_UNUSABLE', 'TOO_MANY'],
  }),
  'alerts.list': procedure({
    summary: 'List where alerts are sent',
    input: z.strictObject(owner),
    output: z.array(channel),
  }),
  'alerts.update': procedure({
    summary: 'Change where alerts are sent, pause it, or unpause it',
    input: z.strictObject({
      ...owner,
      channelId: id,
      url: url.optional(),
      recipient: recipient.optional(),
      sender: mailAddress.optional(),
      quiet: quietHours.nullable().optional().describe('null: no quiet hours'),
      active: z.boolean().optional(),
    }),
    output: channel,
    errors: ['ALERT_CHANNEL_NOT_FOUND', 'VAULT_LOCKED', 'DATA_FOLDER_UNUSABLE'],
  }),
  'alerts.delete': procedure({
    summary: 'Send no more alerts there',
    input: z.strictObject({ ...owner, channelId: id }),
    errors: ['ALERT_CHANNEL_NOT_FOUND', 'DATA_FOLDER_UNUSABLE'],
  }),
  'alerts.test': procedure({
    summary: 'Send a test alert, once, even in quiet hours',
    input: z.strictObject({ ...owner, channelId: id }),
    output: z.strictObject({ ok: z.boolean(), message: z.string().describe('The result as text') }),
    errors: ['ALERT_CHANNEL_NOT_FOUND', 'VAULT_LOCKED'],
  }),
};
