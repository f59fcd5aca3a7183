/** The evidence of a webhook's verdict, by name. */
type Values = Readonly<Record<string, unknown>>;

type Row = (evidence: Values) => { readonly message: string; readonly hint: string };

const ANSWER = '{"arePoliciesVerified": true}';
const the = ({ host }: Values): string => `The webhook at ${String(host)}`;

/** Explains denials caused by a webhook's response or by a missing response. Part of the table in denials.ts. */
export const webhookDenials = {
  WEBHOOK_DENIED: (evidence) => ({
    message: `${the(evidence)} does not verify this operation: it answered arePoliciesVerified: false.`,
    hint: 'Meet the conditions that this webhook checks, or change them on its server.',
  }),
  WEBHOOK_TIMEOUT: (evidence) => ({
    message: `${the(evidence)} did not answer completely within ${String(evidence['timeoutMs'])} ms.`,
    hint: `Make the webhook answer within ${String(evidence['timeoutMs'])} ms, or raise the setting webhookTimeoutMs.`,
  }),
  WEBHOOK_NOT_REACHED: (evidence) => ({
    message: `${the(evidence)} was not asked: Gasdesk had no connection to it within ${String(evidence['timeoutMs'])} ms.`,
    hint: 'Check that DNS and the network of this machine work, and that the server of the webhook is up.',
  }),
  WEBHOOK_STATUS: (evidence) => ({
    message: `${the(evidence)} answered with HTTP status ${String(evidence['status'])}.`,
    hint: `Make the webhook answer with status 200 and ${ANSWER}.`,
  }),
  WEBHOOK_REDIRECT: (evidence) => ({
    message: `${the(evidence)} answered with a redirect (HTTP status ${String(evidence['status'])}), which Gasdesk does not follow.`,
    hint: 'Register the URL that it redirects to.',
  }),
  WEBHOOK_NOT_JSON: (evidence) => ({
    message: `${the(evidence)} did not answer with JSON.`,
    hint: `Make the webhook answer ${ANSWER}, in UTF-8 and uncompressed.`,
  }),
  WEBHOOK_NO_VERDICT: (evidence) => ({
    message: `${the(evidence)} answered JSON without a verdict: ${String(evidence['detail'])}.`,
    hint: `Make the webhook answer ${ANSWER}, spelled exactly like this, with a JSON boolean.`,
  }),
  WEBHOOK_DUPLICATE_KEYS: (evidence) => ({
    message: `${the(evidence)} answered JSON in which one object contains the key ${JSON.stringify(evidence['key'])} twice.`,
    hint: `Make the webhook answer ${ANSWER}, with each key once.`,
  }),
  WEBHOOK_TOO_LARGE: (evidence) => ({
    message: `${the(evidence)} answered with more than ${String(evidence['limitBytes'])} bytes.`,
    hint: `Make the webhook answer ${ANSWER} and nothing else.`,
  }),
  WEBHOOK_NOT_HTTP: (evidence) => ({
    message: `${the(evidence)} gave an answer that is not valid HTTP/1.1: ${String(evidence['detail'])}.`,
    hint: 'Register the URL of an HTTP server, with the scheme (http or https) that it serves.',
  }),
  WEBHOOK_UNREACHABLE: (evidence) => ({
    message: `${the(evidence)} cannot be reached: ${String(evidence['detail'])}.`,
    hint: 'Start the server of the webhook, or correct the URL of the webhook.',
  }),
  WEBHOOK_ADDRESS_REFUSED: (evidence) => ({
    message: `${the(evidence)} was not called: Gasdesk does not call the address ${String(evidence['address'])} (${String(evidence['range'])}).`,
    hint:
      evidence['private'] === true
        ? 'Serve the webhook at a public address, or turn on the setting webhookAllowPrivate.'
        : 'Serve the webhook at another address.',
  }),
  WEBHOOK_BUSY: (evidence) => ({
    message: `${the(evidence)} was not called: ${String(evidence['atOnce'])} calls to it are in flight, the maximum that the settings allow.`,
    hint: `Make the webhook answer faster, send operations more slowly, or raise the setting webhookMaxConcurrent above ${String(evidence['atOnce'])}.`,
  }),
} as const satisfies Record<string, Row>;

export type WebhookDenialCode = keyof typeof webhookDenials;
