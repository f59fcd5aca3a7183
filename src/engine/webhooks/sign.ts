import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Secret } from '../base/secret.ts';

/** A call as its receiver sees it. */
interface ReceivedRequest {
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly target: string;
  readonly body: string;
}

/** What is signed of a call, so that all its data is: the body, or where a GET has none, `GET` and its path and query. */
export const signedContent = ({ method, target, body }: ReceivedRequest): string =>
  method === 'GET' ? `GET ${target}` : body;

/** What the Standard Webhooks scheme signs. */
interface SignedMessage {
  /** `whsec_` and base64 of the key. */
  readonly secret: Secret<string>;
  /** The receiver takes each id once: it must name the decision and stay the same when a call is repeated. */
  readonly id: string;
  /** See `signedContent`. */
  readonly content: string;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * The headers by which a receiver tells that a call is ours and not a repetition (Standard Webhooks, `v1` signature).
 *
 * @throws Error if the secret is not in base64
 */
export const signatureHeaders = ({ secret, id, content, now }: SignedMessage): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(now / 1000)),
  'webhook-signature': new Webhook(secret.reveal()).sign(id, new Date(now), content),
});

/** What the signature of a received call is worth. */
export type SignatureCheck = 'valid' | 'missing' | 'wrong' | 'old';

/** Receivers take no call that is older, or from further in the future (Standard Webhooks). */
const TOLERANCE_S = 5 * 60;

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Checks a received call as its receiver has to: by the shared secret, and by the age of what was signed. */
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
