import { Webhook } from 'standardwebhooks';
import type { Secret } from '../secret.ts';

/** What the Standard Webhooks scheme signs. */
interface SignedMessage {
  /** `whsec_` and base64 of the key. */
  readonly secret: Secret<string>;
  /** The receiver takes each id once: it must name the decision and stay the same when a call is repeated. */
  readonly id: string;
  /** Exactly as sent; empty for a GET. */
  readonly body: string;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * The headers by which a receiver tells that a call is ours and not a repetition (Standard Webhooks, `v1` signature).
 *
 * @throws Error if the secret is not in base64
 */
export const signatureHeaders = ({ secret, id, body, now }: SignedMessage): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(now / 1000)),
  'webhook-signature': new Webhook(secret.reveal()).sign(id, new Date(now), body),
});
