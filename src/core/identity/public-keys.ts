import { z } from 'zod';
import { isWellFormed } from '../../shared/schema/text.ts';

const kid = z.string().max(512).refine(isWellFormed).exactOptional();
const coordinate = z.string().regex(/^[\w-]{43}$/);

/** The least and greatest length of a modulus in base64url: 2,048 and 8,192 bits. */
const MODULUS = /^[\w-]{342,1366}$/;

/** A public key that can sign ID tokens: RSA for RS256, P-256 for ES256, or Ed25519 for EdDSA (RFC 7517). */
export const publicKey = z.discriminatedUnion('kty', [
  z.object({ kty: z.literal('RSA'), kid, n: z.string().regex(MODULUS), e: z.string().regex(/^[\w-]{1,8}$/) }),
  z.object({ kty: z.literal('EC'), kid, crv: z.literal('P-256'), x: coordinate, y: coordinate }),
  z.object({ kty: z.literal('OKP'), kid, crv: z.literal('Ed25519'), x: coordinate }),
]);

export type PublicKey = z.output<typeof publicKey>;

/** More keys than any issuer publishes. */
const MAX_KEYS = 50;

const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(MAX_KEYS) });

/** True for a key that only its owner may have. */
const isPrivate = (one: Readonly<Record<string, unknown>>): boolean => one['d'] !== undefined || one['k'] !== undefined;

const isFor = (value: unknown, purposes: readonly unknown[]): boolean =>
  value === undefined || purposes.includes(value);

/**
 * The keys of a JWKS with which ID tokens can be verified. Keys for other purposes are left out, and so are the members
 * that verification does not need. Undefined if the value is no JWKS, contains no such key, or contains a private key.
 */
export const publicKeysIn = (value: unknown): PublicKey[] | undefined => {
  const { data } = keySet.safeParse(value);
  if (data === undefined || data.keys.some(isPrivate)) return undefined;
  const keys = data.keys
    .filter(({ use, alg }) => isFor(use, ['sig']) && isFor(alg, ['RS256', 'ES256', 'EdDSA']))
    .flatMap((one) => publicKey.safeParse(one).data ?? []);
  return keys.length === 0 ? undefined : keys;
};
