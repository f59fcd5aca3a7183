import { createHash } from 'node:crypto';
import { bodyFault } from '../../core/webhooks/verdict.ts';
import { type WebhookResponse, answerOf } from '../../core/webhooks/webhook-response.ts';
import type { Evidence } from '../../shared/denials.ts';

/**
 * What stands in a record in place of what must not be stored: the hash of its UTF-8 text. Whoever has the text can prove
 * that it was this one. The empty text stays empty.
 */
const blankedText = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** The same for what came as JSON: the hash of its text without white space. */
export const blankedJson = (value: unknown): string => blankedText(JSON.stringify(value));

/** A URL whose query, which holds what the client sent, is blanked. */
const blankedUrl = (url: string): string => {
  const query = url.indexOf('?') + 1;
  return query === 0 ? url : url.slice(0, query) + blankedText(url.slice(query));
};

/** Evidence that quotes the body of an answer: the names of its members. */
const QUOTES = new Set(['key', 'members']);

const blankedEvidence = (evidence: Evidence): Evidence =>
  Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [
      name,
      QUOTES.has(name) && typeof value === 'string' ? blankedText(value) : value,
    ]),
  );

/** A call to a webhook without what was sent and answered. What the answer means is kept: the verdict follows from it. */
export const blankedResponse = (response: WebhookResponse): WebhookResponse => {
  const { call, headers } = response;
  const fault = bodyFault(answerOf(response));
  return {
    ...response,
    call: {
      ...call,
      url: blankedUrl(call.url),
      request: { ...call.request, body: blankedText(call.request.body) },
      response: blankedText(call.response),
    },
    headers: { ...headers, ...(headers.location !== undefined && { location: blankedText(headers.location) }) },
    body: { ...(fault !== undefined && { fault: { ...fault, evidence: blankedEvidence(fault.evidence) } }) },
  };
};
