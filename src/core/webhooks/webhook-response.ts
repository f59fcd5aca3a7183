import { z } from 'zod';
import type { WebhookDenialCode } from './webhook-denials.ts';
import { evidence, webhookCall } from '../../shared/schema/decision.ts';
import { type WebhookVerdict, verdictOn } from './verdict.ts';

/** What was found out when a webhook was called. */
export const webhookResponse = z.strictObject({
  call: webhookCall,
  host: z.string(),
  failOpen: z.boolean(),
  headers: z.strictObject({ location: z.string().optional(), 'content-encoding': z.string().optional() }),
  fault: z
    .strictObject({ code: z.custom<WebhookDenialCode>((value) => typeof value === 'string'), evidence })
    .optional()
    .describe('What kept the answer from being complete'),
  notAnOutage: z.string().optional().describe("Why a missing answer is not the receiver's fault, in words"),
  shadow: z.literal(true).optional().describe('Asked by a rule in shadow'),
  micros: z.number().describe('Time taken, in µs'),
});

/** What was found out when a webhook was called. */
export type WebhookResponse = z.output<typeof webhookResponse>;

/** What a webhook's response means for the operation. */
export const responseVerdict = ({
  call,
  host,
  failOpen,
  headers,
  fault,
  notAnOutage,
}: WebhookResponse): WebhookVerdict =>
  verdictOn({ status: call.status, headers, text: call.response, fault }, host, failOpen, notAnOutage);
