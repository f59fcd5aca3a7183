import { z } from 'zod';
import { traceStep } from '../shared/schema/decision.ts';
import { httpUrl, id } from '../shared/schema/text.ts';
import { wholeUrls } from './whole-urls.ts';
import { procedure } from './procedure.ts';

const webhook = z.strictObject({
  webhookId: z.string(),
  webhookUrl: z.string(),
  requestType: z.enum(['GET', 'POST']),
  active: z.boolean(),
});

/** A webhook call of a decision, as lists show it. The decision's trace contains the request and the response. */
const webhookCallRow = z.strictObject({
  decisionId: z.string(),
  at: z.number().describe('Time of the decision, epoch ms'),
  index: z.number().describe("Position in the decision's trace"),
  webhookId: z.string(),
  method: z.enum(['GET', 'POST']),
  url: z.string().describe('Its first 500 characters'),
  outcome: z.enum(['pass', 'deny', 'skip']),
  code: z.string(),
  status: z.number().nullable().describe('null: there was no answer'),
  micros: z.number().describe('Time taken, in µs'),
});

export type WebhookCallRow = z.output<typeof webhookCallRow>;

/** Procedures for registered webhooks, which allow or deny operations. */
export const webhookProcedures = {
  'webhooks.create': procedure({
    summary: 'Register a webhook',
    input: z.strictObject({ paymasterId: id, webhookUrl: httpUrl, requestType: z.enum(['GET', 'POST']) }),
    output: webhook,
    errors: ['PAYMASTER_NOT_FOUND', 'VAULT_LOCKED'],
  }),
  'webhooks.list': procedure({
    summary: 'List the webhooks of a DApp, or the one named',
    input: z.strictObject({ paymasterId: id, webhookId: z.string().optional(), whole: wholeUrls }),
    output: z.array(webhook),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'webhooks.update': procedure({
    summary: 'Activate or deactivate a webhook',
    input: z.strictObject({ paymasterId: id, webhookId: z.string(), active: z.boolean() }),
    errors: ['PAYMASTER_NOT_FOUND', 'WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.setUrl': procedure({
    summary: 'Change the URL of a webhook. Its id and its signing secret stay the same',
    input: z.strictObject({ paymasterId: id, webhookId: z.string(), webhookUrl: httpUrl }),
    errors: ['PAYMASTER_NOT_FOUND', 'WEBHOOK_NOT_FOUND', 'VAULT_LOCKED'],
  }),
  'webhooks.delete': procedure({
    summary: 'Delete a webhook',
    input: z.strictObject({ paymasterId: id, webhookId: z.string() }),
    errors: ['PAYMASTER_NOT_FOUND', 'WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.calls': procedure({
    summary:
      'List the calls that the last decisions of a DApp made to its webhooks and those of its rules, newest first',
    input: z.strictObject({
      paymasterId: id,
      decisions: z.int().min(1).max(1000).default(100).describe('Number of decisions that are searched'),
    }),
    output: z.array(webhookCallRow),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'webhooks.secret': procedure({
    summary: 'Show the secret that signs calls to a webhook, registered or of a WEBHOOK rule (by its _id)',
    input: z.strictObject({ webhookId: z.string() }),
    output: z.strictObject({ webhookId: z.string(), secret: z.string() }),
    errors: ['WEBHOOK_NOT_FOUND', 'VAULT_LOCKED'],
  }),
  'webhooks.test': procedure({
    summary: 'Call a webhook, registered or of a WEBHOOK rule, as for a decision. Nothing is decided or stored',
    input: z.strictObject({
      webhookId: z.string(),
      data: z.record(z.string(), z.unknown()).describe('Sent as webhookData'),
      userOp: z.record(z.string(), z.unknown()).optional().describe('Also sent to a webhook of a rule'),
    }),
    output: z.strictObject({
      step: traceStep.describe('As in the trace of a decision'),
      message: z.string().describe('The effect on an operation'),
      hint: z.string().describe('What to do; empty if nothing is necessary'),
    }),
    errors: ['WEBHOOK_NOT_FOUND', 'VAULT_LOCKED'],
  }),
};
