import type { Evidence } from '../../shared/denials.ts';
import { CAUSES_AT_RECEIVER } from '../../core/webhooks/verdict.ts';
import type { WebhookDenialCode } from '../../core/webhooks/webhook-denials.ts';

/** Why a webhook call gave no positive verdict. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookDenialCode;
  readonly evidence: Evidence;

  constructor(code: WebhookDenialCode, evidence: Evidence = {}) {
    super(code);
    this.code = code;
    this.evidence = evidence;
  }
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  HPE_INVALID_EOF_STATE: 'the connection broke',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network',
  EPROTO: 'its server does not speak TLS (https)',
  ENOTFOUND: 'DNS does not know its host name',
  EAI_AGAIN: 'DNS did not answer',
  LOOKUPS_FULL: 'too many host names of webhooks are being looked up',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
};

/** True for the error of a machine without IPv6 when it connects to an IPv6 address. */
const isOtherFamily = ({ code, address = '' }: NodeJS.ErrnoException & { address?: string }): boolean =>
  address.includes(':') && (code === 'ENETUNREACH' || code === 'EADDRNOTAVAIL');

/**
 * The decisive error if a name has several addresses and all failed: the first error that the receiver did not cause
 * or, if the receiver caused all of them, the first one.
 */
const decisive = (error: NodeJS.ErrnoException): NodeJS.ErrnoException => {
  if (!(error instanceof AggregateError)) return error;
  const errors = (error.errors as NodeJS.ErrnoException[]).filter((one) => !isOtherFamily(one));
  return errors.find(({ code }) => !CAUSES_AT_RECEIVER.has(code)) ?? errors[0] ?? error;
};

/** Converts an error of Node's HTTP client. `cause` is the error's code. */
export const errorOf = (error: NodeJS.ErrnoException): WebhookError => {
  if (error instanceof WebhookError) return error;
  const { code: cause = 'unknown', message } = decisive(error);
  // Codes of Node's HTTP parser. A truncated response is not a format error.
  if (cause.startsWith('HPE_') && cause !== 'HPE_INVALID_EOF_STATE')
    return new WebhookError('WEBHOOK_NOT_HTTP', { cause, detail: message });
  return new WebhookError('WEBHOOK_UNREACHABLE', { cause, detail: words[cause] ?? (message || cause) });
};
