import { z } from 'zod';
import type { WebhookDenialCode } from './webhook-denials.ts';
import { evidence, webhookCall } from '../../shared/schema/decision.ts';
import { type Answer, type WebhookVerdict, verdictOn } from './verdict.ts';

const error = z.strictObject({ code: z.custom<WebhookDenialCode>((value) => typeof value === 'string'), evidence });

/** The result of a webhook call. */
export const webhookResponse = z.strictObject({
  call: webhookCall,
  host: z.string(),
  failOpen: z.boolean(),
  headers: z.strictObject({ location: z.string().optional(), 'content-encoding': z.string().optional() }),
  error: error.optional().describe('What kept the answer from being complete'),
  body: z
    .strictObject({ error: error.optional() })
    .optional()
    .describe('What the body of the answer says, where a hash stands in place of its text'),
  notAnOutage: z.string().optional().describe("Why a missing answer is not the receiver's error, in words"),
  shadow: z.literal(true).optional().describe('Asked by a rule in shadow'),
  micros: z.number().describe('Time taken, in µs'),
});

export type WebhookResponse = z.output<typeof webhookResponse>;

export const answerOf = ({ call, headers, error, body }: WebhookResponse): Answer => ({
  status: call.status,
  headers,
  text: call.response,
  error,
  body,
});

/** The verdict of a webhook's response. */
export const responseVerdict = (response: WebhookResponse): WebhookVerdict =>
  verdictOn(answerOf(response), response.host, response.failOpen, response.notAnOutage);
