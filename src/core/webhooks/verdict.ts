import type { Evidence } from '../../shared/denials.ts';
import type { WebhookDenialCode } from './webhook-denials.ts';
import { duplicateKey } from './duplicate-key.ts';

/** Why a call resulted in no positive verdict. */
interface WebhookError {
  readonly code: WebhookDenialCode;
  readonly evidence: Evidence;
}

export interface Answer {
  /** Undefined if no response started. */
  readonly status?: number | undefined;
  readonly headers: { readonly location?: string | undefined; readonly 'content-encoding'?: string | undefined };
  /** The part of the body that was read. */
  readonly text: string;
  /** Why the response is incomplete. */
  readonly error?: WebhookError | undefined;
  /** The error found in the body, if a hash has replaced the body's text. */
  readonly body?: { readonly error?: WebhookError | undefined } | undefined;
}

export type WebhookVerdict =
  | {
      readonly outcome: 'pass';
      /**
       * `WEBHOOK_FAILED_OPEN`: an outage occurred (`evidence.outage`), and the webhook is set to allow operations then.
       */
      readonly code: 'WEBHOOK_VERIFIED' | 'WEBHOOK_FAILED_OPEN';
      readonly evidence: Evidence;
    }
  | { readonly outcome: 'deny'; readonly code: WebhookDenialCode; readonly evidence: Evidence };

/** The member with the verdict, and its earlier spelling in Biconomy's documentation. */
const SPELLINGS = ['arePoliciesVerified', 'arePoliciesVerifed'];

/**
 * Causes of `WEBHOOK_UNREACHABLE` that lie with the receiver or its host. Other causes, such as too many open files or
 * a failing DNS resolver on this machine, could be provoked by an attacker.
 */
export const CAUSES_AT_RECEIVER: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EPROTO',
  'HPE_INVALID_EOF_STATE',
]);

/** The most characters of the receiver's response that the evidence contains. */
const ECHO_LENGTH = 200;

/**
 * The verdict of a response. It is positive only for a 2xx status and the JSON boolean `true`, in JSON without
 * duplicate keys.
 * @param host the webhook's host, for the evidence
 * @param failOpen true if the receiver's outages count as a positive verdict; an answer of false, a refused address or
 * a full queue never do
 * @param notAnOutage why a missing response is not the receiver's fault; then the verdict is negative even with
 * `failOpen`
 */
export const verdictOn = (answer: Answer, host: string, failOpen: boolean, notAnOutage?: string): WebhookVerdict => {
  const { status } = answer;
  const error = statusError(answer) ?? answer.error ?? bodyError(answer);
  const evidence: Evidence = { host, ...(status !== undefined && { status }), ...error?.evidence };
  if (!error) return { outcome: 'pass', code: 'WEBHOOK_VERIFIED', evidence };
  if (failOpen && isOutage(error, status) && !saysNo(answer)) {
    if (notAnOutage !== undefined) return { outcome: 'deny', code: error.code, evidence: { ...evidence, notAnOutage } };
    return { outcome: 'pass', code: 'WEBHOOK_FAILED_OPEN', evidence: { outage: error.code, ...evidence } };
  }
  return { outcome: 'deny', code: error.code, evidence };
};

const webhookError = (code: WebhookDenialCode, evidence: Evidence = {}): WebhookError => ({ code, evidence });

/** True if the receiver could not be reached, timed out or answered with a server error. */
const isOutage = ({ code, evidence }: WebhookError, status = 0): boolean =>
  code === 'WEBHOOK_TIMEOUT' ||
  (code === 'WEBHOOK_UNREACHABLE' && CAUSES_AT_RECEIVER.has(evidence['cause'])) ||
  (code === 'WEBHOOK_STATUS' && status >= 500);

/** True if the response contains a verdict of false. Then it is no outage, whatever its status. */
const saysNo = (answer: Answer): boolean =>
  ['WEBHOOK_DENIED', 'WEBHOOK_DUPLICATE_KEYS'].includes(bodyError(answer)?.code ?? '');

const statusError = ({ status, headers }: Answer): WebhookError | undefined => {
  if (status === undefined || (status >= 200 && status <= 299)) return undefined;
  const { location } = headers;
  return status >= 300 && status <= 399 && location !== undefined
    ? webhookError('WEBHOOK_REDIRECT', { location: location.slice(0, ECHO_LENGTH) })
    : webhookError('WEBHOOK_STATUS');
};

/** Why the body of a response is no positive verdict; undefined if it is one. */
export const bodyError = (answer: Answer): WebhookError | undefined =>
  answer.body === undefined ? textError(answer) : answer.body.error;

const textError = ({ headers, text }: Answer): WebhookError | undefined => {
  const json = parseJson(text);
  if (json === undefined) {
    const encoding = headers['content-encoding'];
    return webhookError('WEBHOOK_NOT_JSON', encoding === undefined ? {} : { encoding });
  }
  const key = duplicateKey(text);
  if (key !== undefined) return webhookError('WEBHOOK_DUPLICATE_KEYS', { key: key.slice(0, ECHO_LENGTH) });
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return noVerdict(`it is ${kindOf(json)}`);
  const members: Record<string, unknown> = { ...json };
  const values = SPELLINGS.filter((name) => Object.hasOwn(members, name)).map((name) => members[name]);
  if (values.includes(false)) return webhookError('WEBHOOK_DENIED');
  const odd = values.findIndex((value) => value !== true);
  if (odd >= 0) return noVerdict(`its arePoliciesVerified is ${kindOf(values[odd])}, not a boolean`);
  if (values.length > 0) return undefined;
  return noVerdict('it has no member arePoliciesVerified', {
    members: Object.keys(members).join(', ').slice(0, ECHO_LENGTH),
  });
};

const noVerdict = (detail: string, evidence: Evidence = {}): WebhookError =>
  webhookError('WEBHOOK_NO_VERDICT', { detail, ...evidence });

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

/** Undefined for a text that is not JSON. No JSON text parses to undefined. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
