import type { IncomingHttpHeaders } from 'node:http';
import type { Evidence } from '../../shared/denials.ts';
import type { WebhookDenialCode } from '../../shared/webhook-denials.ts';
import { WebhookFault } from './fault.ts';

/** What came back from a webhook. */
export interface Answer {
  /** Undefined where no answer began. */
  readonly status?: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as far as it was read. */
  readonly text: string;
  /** What kept the answer from being complete. */
  readonly fault?: WebhookFault;
}

/** What a call to a webhook means for the operation. */
export type WebhookVerdict =
  | {
      readonly outcome: 'pass';
      /** `WEBHOOK_FAILED_OPEN`: there was an outage (`evidence.outage`), and the webhook is set to pass then. */
      readonly code: 'WEBHOOK_VERIFIED' | 'WEBHOOK_FAILED_OPEN';
      readonly evidence: Evidence;
    }
  | { readonly outcome: 'deny'; readonly code: WebhookDenialCode; readonly evidence: Evidence };

/** The member that decides, and how Biconomy's documentation once spelt it. */
const SPELLINGS = ['arePoliciesVerified', 'arePoliciesVerifed'];

/** The receiver could not be asked; whatever it did answer is no outage. */
const OUTAGES: ReadonlySet<WebhookDenialCode> = new Set(['WEBHOOK_TIMEOUT', 'WEBHOOK_UNREACHABLE', 'WEBHOOK_BUSY']);

/** What the receiver sent goes into the evidence no longer than this, in characters. */
const ECHO_LENGTH = 200;

/**
 * Judges an answer: it passes only with status 2xx and the JSON boolean true.
 *
 * @param host names the webhook in the evidence
 * @param failOpen outages pass; never an answer of false, and never a refused address
 */
export const verdictOn = (answer: Answer, host: string, failOpen: boolean): WebhookVerdict => {
  const { status } = answer;
  const fault = statusFault(answer) ?? answer.fault ?? bodyFault(answer);
  const evidence: Evidence = { host, ...(status !== undefined && { status }), ...fault?.evidence };
  if (!fault) return { outcome: 'pass', code: 'WEBHOOK_VERIFIED', evidence };
  if (failOpen && isOutage(fault, status) && bodyFault(answer)?.code !== 'WEBHOOK_DENIED') {
    return { outcome: 'pass', code: 'WEBHOOK_FAILED_OPEN', evidence: { outage: fault.code, ...evidence } };
  }
  return { outcome: 'deny', code: fault.code, evidence };
};

const isOutage = ({ code }: WebhookFault, status = 0): boolean =>
  OUTAGES.has(code) || (code === 'WEBHOOK_STATUS' && status >= 500);

const statusFault = ({ status, headers }: Answer): WebhookFault | undefined => {
  if (status === undefined || (status >= 200 && status <= 299)) return undefined;
  const { location } = headers;
  return status >= 300 && status <= 399 && location !== undefined
    ? new WebhookFault('WEBHOOK_REDIRECT', { location: location.slice(0, ECHO_LENGTH) })
    : new WebhookFault('WEBHOOK_STATUS');
};

const bodyFault = ({ headers, text }: Answer): WebhookFault | undefined => {
  const json = parseJson(text);
  if (json === undefined) {
    const encoding = headers['content-encoding'];
    return new WebhookFault('WEBHOOK_NOT_JSON', encoding === undefined ? {} : { encoding });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return noVerdict(`it is ${kindOf(json)}`);
  const members: Record<string, unknown> = { ...json };
  const values = SPELLINGS.filter((name) => Object.hasOwn(members, name)).map((name) => members[name]);
  if (values.includes(false)) return new WebhookFault('WEBHOOK_DENIED');
  const odd = values.findIndex((value) => value !== true);
  if (odd >= 0) return noVerdict(`its arePoliciesVerified is ${kindOf(values[odd])}, not a boolean`);
  if (values.length > 0) return undefined;
  return noVerdict('it has no member arePoliciesVerified', {
    members: Object.keys(members).join(', ').slice(0, ECHO_LENGTH),
  });
};

const noVerdict = (detail: string, evidence: Evidence = {}): WebhookFault =>
  new WebhookFault('WEBHOOK_NO_VERDICT', { detail, ...evidence });

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

/** Undefined for what is not JSON, which has no undefined of its own. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
