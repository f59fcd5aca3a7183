import { type JWTPayload, type JWTVerifyOptions, createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { SubjectFault } from '../../core/facts/facts.ts';
import type { PublicKey } from '../../core/identity/public-keys.ts';
import { type Identity, TOKEN_LEEWAY } from '../../core/rules/identity/index.ts';
import { duplicateKey } from '../../core/webhooks/duplicate-key.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { KeySets } from './key-sets.ts';
import { subjectText } from './subject-text.ts';
import type { Proof } from './verify-voucher.ts';

/** What an ID token has to be. */
export type TokenQuestion = Extract<Identity, { source: 'OIDC' }> & { readonly sender: Address };

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const LONGEST_TOKEN = 16 * 1024;
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_SENDERS = 100;
/** The latest time that a JavaScript `Date` can hold, in epoch seconds. */
const LAST_SECOND = 8_640_000_000_000;

type Keys = ReturnType<typeof createLocalJWKSet>;

/** Imported keys, which are used again for the next token. */
const imported = new WeakMap<readonly PublicKey[], Keys>();

const importedKeys = (keys: readonly PublicKey[]): Keys => {
  const known = imported.get(keys) ?? createLocalJWKSet({ keys: [...keys] });
  imported.set(keys, known);
  return known;
};

/** The content of a token. If several keys may have signed it, tries each. @throws JOSEError, TypeError for a key */
const payloadOf = async (token: string, keys: readonly PublicKey[], options: JWTVerifyOptions): Promise<JWTPayload> => {
  try {
    return (await jwtVerify(token, importedKeys(keys), options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
};

/** True if newer keys may verify the token. */
const isOfUnknownKey = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;

/** The content of a token, by the newest keys if those that are known do not fit. @throws as {@link payloadOf} */
const verifiedPayload = async (
  { jwks, jwksUrl = '' }: TokenQuestion,
  keySets: KeySets,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> => {
  const keys = jwks?.keys ?? (await keySets.keysAt(jwksUrl));
  try {
    return await payloadOf(token, keys, options);
  } catch (error) {
    if (jwks !== undefined || !isOfUnknownKey(error)) throw error;
    const renewed = await keySets.renewedKeysAt(jwksUrl);
    if (renewed === keys) throw error;
    return payloadOf(token, renewed, options);
  }
};

const CLAIM_FAULTS: Readonly<Record<string, SubjectFault>> = {
  iss: 'TOKEN_ISSUER',
  aud: 'TOKEN_AUDIENCE',
  nbf: 'TOKEN_NOT_YET',
  exp: 'TOKEN_EXPIRY',
  iat: 'TOKEN_EXPIRY',
};

/** What is wrong with a token. @throws any error that is not about the token */
const faultOf = (error: unknown): SubjectFault => {
  if (error instanceof errors.JWTClaimValidationFailed) {
    const isOddTime = error.reason === 'invalid' && error.claim === 'nbf';
    return isOddTime ? 'TOKEN_EXPIRY' : (CLAIM_FAULTS[error.claim] ?? 'TOKEN_FORM');
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'TOKEN_ALGORITHM';
  if (error instanceof errors.JWKSNoMatchingKey) return 'TOKEN_KEY';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'TOKEN_SIGNATURE';
  if (error instanceof errors.JOSEError) return 'TOKEN_FORM';
  throw error;
};

const names = (claim: unknown, sender: Address): boolean => {
  const named: readonly unknown[] = Array.isArray(claim) ? claim.slice(0, MAX_SENDERS) : [claim];
  return named.some((one) => typeof one === 'string' && one.toLowerCase() === sender.toLowerCase());
};

const ownClaim = (payload: JWTPayload, claim: string): unknown =>
  Object.hasOwn(payload, claim) ? payload[claim] : undefined;

/** Parsers differ in which of two members with one name they read. */
const namesMembersOnce = (token: string): boolean =>
  token.split('.', 2).every((part) => duplicateKey(Buffer.from(part, 'base64url').toString()) === undefined);

/**
 * Verifies an ID token of a client.
 *
 * @param now epoch ms
 * @throws KeysUnavailable if the issuer's keys cannot be had
 */
export const verifyIdToken = async (
  question: TokenQuestion,
  keySets: KeySets,
  token: unknown,
  now: number,
): Promise<Proof> => {
  const { issuer, audience, claim, senderClaim, sender } = question;
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !FORM.test(token)) return { fault: 'TOKEN_FORM' };
  const options: JWTVerifyOptions = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: TOKEN_LEEWAY,
    currentDate: new Date(now),
    requiredClaims: ['exp'],
  };
  let payload: JWTPayload;
  try {
    payload = await verifiedPayload(question, keySets, token, options);
  } catch (error) {
    // The rule says that it has expired.
    if (!(error instanceof errors.JWTExpired)) return { fault: faultOf(error) };
    ({ payload } = error);
  }
  const { exp = NaN } = payload;
  if (!namesMembersOnce(token)) return { fault: 'TOKEN_FORM' };
  if (!(exp >= 0 && exp <= LAST_SECOND)) return { fault: 'TOKEN_EXPIRY' };
  const subject = subjectText.safeParse(ownClaim(payload, claim)).data;
  if (subject === undefined) return { fault: 'TOKEN_CLAIM' };
  if (senderClaim !== undefined && !names(ownClaim(payload, senderClaim), sender)) return { fault: 'TOKEN_SENDER' };
  return { subject, expiresAt: Math.floor(exp) };
};
