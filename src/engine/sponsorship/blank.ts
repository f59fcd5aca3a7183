import { createHash } from 'node:crypto';
import { bodyError } from '../../core/webhooks/verdict.ts';
import { type WebhookResponse, answerOf } from '../../core/webhooks/webhook-response.ts';
import type { Evidence } from '../../shared/denials.ts';

/**
 * Replaces text that must not be stored by the hash of its UTF-8 bytes. Anyone who has the text can prove that it is
 * the original. The empty text stays empty.
 */
const blankedText = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Replaces JSON by the hash of its text without white space. */
export const blankedJson = (value: unknown): string => blankedText(JSON.stringify(value));

/** Blanks the query of a URL, because it contains what the client sent. */
const blankedUrl = (url: string): string => {
  const query = url.indexOf('?') + 1;
  return query === 0 ? url : url.slice(0, query) + blankedText(url.slice(query));
};

/** Fields of the evidence that quote the response body. */
const QUOTES = new Set(['key', 'members']);

const blankedEvidence = (evidence: Evidence): Evidence =>
  Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [
      name,
      QUOTES.has(name) && typeof value === 'string' ? blankedText(value) : value,
    ]),
  );

/** Blanks the request and the response of a webhook call, but keeps the verdict and everything on which it depends. */
export const blankedResponse = (response: WebhookResponse): WebhookResponse => {
  const { call, headers } = response;
  const error = bodyError(answerOf(response));
  return {
    ...response,
    call: {
      ...call,
      url: blankedUrl(call.url),
      request: { ...call.request, body: blankedText(call.request.body) },
      response: blankedText(call.response),
    },
    headers: { ...headers, ...(headers.location !== undefined && { location: blankedText(headers.location) }) },
    body: { ...(error !== undefined && { error: { ...error, evidence: blankedEvidence(error.evidence) } }) },
  };
};
