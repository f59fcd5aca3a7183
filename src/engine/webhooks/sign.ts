import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Secret } from '../base/secret.ts';

interface ReceivedRequest {
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly target: string;
  readonly body: string;
}

/** The signed content covers all data of a call: the body or, for a GET without a body, `GET` with path and query. */
export const signedContent = ({ method, target, body }: ReceivedRequest): string =>
  method === 'GET' ? `GET ${target}` : body;

interface SignedMessage {
  /** `whsec_` and base64 of the key. */
  readonly secret: Secret<string>;
  /**
   * The receiver accepts each id only once, so it must identify the decision and stay the same when a call is repeated.
   */
  readonly id: string;
  readonly content: string;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Headers with which a receiver verifies that a call comes from Gasdesk and is no replay (Standard Webhooks, `v1`
 * signature).
 *
 * @throws Error if the secret is not base64
 */
export const signatureHeaders = ({ secret, id, content, now }: SignedMessage): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(now / 1000)),
  'webhook-signature': new Webhook(secret.reveal()).sign(id, new Date(now), content),
});

export type SignatureCheck = 'valid' | 'missing' | 'wrong' | 'old';

/** Receivers refuse calls whose time differs from theirs by more than this (Standard Webhooks). */
const TOLERANCE_S = 5 * 60;

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Checks a received call as receivers must: with the shared secret, and by the age of the signature. */
export const checkSignature = (
  { secret, content, now }: Omit<SignedMessage, 'id'>,
  headers: IncomingHttpHeaders,
): SignatureCheck => {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  ) as [string, string, string];
  if (id === '' || !/^\d{1,12}$/.test(timestamp) || signatures === '') return 'missing';
  const expected = new Webhook(secret.reveal()).sign(id, new Date(Number(timestamp) * 1000), content);
  if (!signatures.split(' ').some((signature) => isSame(signature, expected))) return 'wrong';
  return Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_S ? 'valid' : 'old';
};
