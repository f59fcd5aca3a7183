import type { WebhookCallRow } from '../../../../api/webhooks.ts';
import type { TraceStep } from '../../../../shared/schema/decision.ts';
import { parsed } from './typed-json.ts';

type Exchange = NonNullable<TraceStep['call']>;

export interface WebhookFigures {
  readonly calls: number;
  readonly verified: number;
  /** Number of responses that do not allow the operation. */
  readonly refused: number;
  /** Number of calls without a verdict, for whatever reason. */
  readonly errors: number;
  readonly medianMs: number;
}

/** Results of one webhook in these calls; undefined if it was not called. */
export const figuresOf = (calls: readonly WebhookCallRow[], webhookId: string): WebhookFigures | undefined => {
  const own = calls.filter((call) => call.webhookId === webhookId);
  if (own.length === 0) return undefined;
  const verified = own.filter(({ code }) => code === 'WEBHOOK_VERIFIED').length;
  const refused = own.filter(({ code }) => code === 'WEBHOOK_DENIED').length;
  const times = own.map(({ micros }) => micros).sort((a, b) => a - b);
  const [low = 0, high = low] = [times[Math.floor((times.length - 1) / 2)], times[Math.floor(times.length / 2)]];
  return {
    calls: own.length,
    verified,
    refused,
    errors: own.length - verified - refused,
    medianMs: Math.round((low + high) / 2 / 1000),
  };
};

const EXAMPLE = { user: 'ann', params: { campaign: 'spring' } };

/** The data sent to a receiver: the body of a POST request, or the query of a GET request. */
const sentIn = ({ method, url, request }: Exchange): { data?: unknown; userOp?: unknown } => {
  if (method === 'GET') return { data: parsed(new URL(url).searchParams.get('data') ?? '') };
  const body = parsed(request.body);
  return typeof body === 'object' && body !== null ? body : {};
};

/** Initial values of a test: the last request to the webhook, or else an example. */
export const trialOf = (last: Exchange | undefined): { data: unknown; userOp: unknown } => {
  const sent = last === undefined ? {} : sentIn(last);
  return { data: sent.data ?? EXAMPLE, userOp: sent.userOp ?? EXAMPLE_OPERATION };
};

const EXAMPLE_OPERATION = {
  sender: '0x0000000000000000000000000000000000000001',
  nonce: '0x0',
  callData: '0x',
  callGasLimit: '0x186a0',
  verificationGasLimit: '0x186a0',
  preVerificationGas: '0xc350',
  maxFeePerGas: '0x3b9aca00',
  maxPriorityFeePerGas: '0x3b9aca00',
};
