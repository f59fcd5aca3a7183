import { z } from 'zod';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const row = z.strictObject({
  seq: z.number().describe('Counted from the start of the service'),
  at: z.number().describe('Time of arrival, epoch ms'),
  ms: z.number().describe('Time until the answer'),
  chainId: z.number().nullable().describe('Null if the URL contains none, and the API key is unknown'),
  paymasterId: z.string().nullable().describe('Null if the API key is unknown'),
  method: z.string().nullable().describe('Null if the request was not read that far'),
  status: z.number().describe('HTTP status. A batch is answered with 200, whatever its requests are answered with'),
  outcome: z
    .enum(['sponsored', 'denied', 'answered', 'error'])
    .describe('answered: a request that needs no decision, and succeeded'),
  code: z.string().nullable().describe('Why it was denied or failed; null if neither'),
  rpcCode: z.number().nullable().describe('JSON-RPC error code of the answer'),
  message: z.string().nullable().describe('Null if it was neither denied nor failed, or with blankWebhookData'),
  decisionId: z.string().nullable(),
});

const ofDapp = { paymasterId: id.optional().describe('Only requests of this DApp') };

export const requestProcedures = {
  'requests.list': procedure({
    summary: 'List the last JSON-RPC requests since the service started, newest first, also refused ones',
    input: z.strictObject({
      ...ofDapp,
      after: z.int().min(0).default(0).describe('Only requests after this seq'),
      limit: z.int().min(1).max(250).default(50),
    }),
    output: z.strictObject({
      last: z.number().describe('Seq of the newest request, whichever DApp sent it'),
      requests: z.array(row),
    }),
  }),
  'requests.show': procedure({
    summary: 'Show one of the last requests with its answer, without secrets and proofs of identity',
    input: z.strictObject({ ...ofDapp, seq: z.int().min(1) }),
    output: row.extend({
      request: z.string().nullable().describe('As JSON. Null if it was not read, or with blankWebhookData'),
      answer: z.string().nullable().describe('As JSON. Null with blankWebhookData'),
    }),
    errors: ['REQUEST_NOT_FOUND'],
  }),
  'requests.errors': procedure({
    summary: 'Count denials and errors since the service started by their cause, the newest first',
    input: z.strictObject(ofDapp),
    output: z.array(
      z.strictObject({
        code: z.string(),
        message: z.string().nullable().describe('Of the newest one; null with blankWebhookData'),
        count: z.number(),
        dapps: z.number().describe('Number of DApps that were affected; 0 for unknown API keys'),
        since: z.number().describe('Time of the first one, epoch ms'),
        last: z.number().describe('Time of the newest one, epoch ms'),
      }),
    ),
  }),
};
