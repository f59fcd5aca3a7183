import canonicalize from 'canonicalize';
import { toUtf8Bytes } from 'ethers';
import { z } from 'zod';
import { address, addressKey } from '../../../shared/schema/hex.ts';
import { WELL_FORMED_ERROR, httpUrl, isWellFormed, loopbackUrl } from '../../../shared/schema/text.ts';
import { keccak256 } from '../../user-operation/keccak256.ts';
import { publicKey, publicKeysIn } from '../../identity/public-keys.ts';
import type { Setup } from '../rule.ts';

const LONGEST = 512;
const text = z
  .string()
  .min(1, 'should not be empty')
  .max(LONGEST, `must have at most ${LONGEST} characters`)
  .refine(isWellFormed, WELL_FORMED_ERROR);

const KEYS_ERROR =
  'must be a JWKS, {"keys": [...]}, with public keys for RS256 (2,048 bits or more), ES256 or EdDSA, and no private key';

const parsedJson = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
};

const keySet = z.strictObject({ keys: z.array(publicKey) });

const { $schema: _draft, ...keySetObject } = z.toJSONSchema(keySet);

/** The keys, as an object or as the JSON of one. */
const sentKeySet = z
  .custom<unknown>((value) => publicKeysIn(parsedJson(value)) !== undefined, KEYS_ERROR)
  .meta({ description: KEYS_ERROR, anyOf: [keySetObject, { type: 'string' }] });

const URL_ERROR = 'must be an https URL without user name and password, or an http URL of this machine';

/** Anyone who can change the keys on their way can pretend to be any person. */
const keysUrl = httpUrl.refine(
  (url) => (/^https:/i.test(url) || loopbackUrl.safeParse(url).success) && !/^\w+:\/\/[^/?#]*@/.test(url),
  URL_ERROR,
);

const voucher = z.strictObject({
  source: z.literal('VOUCHER'),
  signer: address.describe("Address of the key with which the DApp's backend signs vouchers"),
});

const token = {
  source: z.literal('OIDC'),
  issuer: text.describe('`iss` of the ID tokens, compared exactly'),
  audience: text.describe("`aud` of the ID tokens: the DApp's client id at the issuer"),
  claim: text.describe('The claim that identifies the person'),
  jwksUrl: keysUrl.optional().describe("URL of the issuer's keys; instead of `jwks`"),
  senderClaim: text
    .optional()
    .describe('A claim that must be, or contain, the address of the sender. Absent: any account may send the token'),
};

const sentToken = z
  .strictObject({ ...token, claim: token.claim.default('sub'), jwks: sentKeySet.optional() })
  .superRefine(({ jwks, jwksUrl }, context) => {
    if ((jwks === undefined) !== (jwksUrl === undefined)) return;
    const message =
      jwks === undefined ? 'must be given, or jwksUrl' : 'should not exist with jwksUrl: omit one of them';
    context.addIssue({ code: 'custom', path: ['jwks'], message });
  });

const sent = z.discriminatedUnion('source', [voucher, sentToken]);
const storedToken = z.strictObject({ ...token, jwksUrl: z.string().optional(), jwks: keySet.optional() });
const stored = z.discriminatedUnion('source', [voucher, storedToken]);

/** The data of an IDENTITY rule: whom the operator trusts to say who a person is. */
export type Identity = z.output<typeof stored>;

const keys = new WeakMap<Identity, string>();

/**
 * The key of a rule's answer in the facts. Rules that trust the same have the same key; a rule whose data has changed
 * has another.
 */
export const identityKey = (data: Identity): string => {
  const known = keys.get(data);
  if (known !== undefined) return known;
  const made =
    data.source === 'VOUCHER'
      ? `VOUCHER:${addressKey(data.signer)}`
      : `OIDC:${keccak256(toUtf8Bytes(canonicalize(data) ?? '')).slice(2)}`;
  keys.set(data, made);
  return made;
};

/** Who vouches for the person, to be used within a sentence. */
const trusted = (data: Identity): string =>
  data.source === 'VOUCHER'
    ? `a voucher signed by ${data.signer}`
    : `an ID token of ${data.issuer} for ${data.audience}`;

export const identitySetup: Setup<z.output<typeof sent>, Identity> = {
  policyType: 'IDENTITY',
  place: 7,
  sent,
  stored,
  keep(data) {
    if (data.source === 'VOUCHER') return { source: data.source, signer: addressKey(data.signer) };
    const { jwks, ...rest } = data;
    const publicKeys = publicKeysIn(parsedJson(jwks));
    return { ...rest, ...(publicKeys && { jwks: { keys: publicKeys } }) };
  },
  sentence: (data) => `Sponsored only with ${trusted(data)}.`,
  withoutRules: () => 'Senders need not prove who they are.',
  form: {
    opens: 'Add identity',
    title: 'Require a person',
    noun: 'identity',
    example: 'People',
    fields: ({ source = 'VOUCHER' }) => ({
      source: {
        label: 'Who vouches for the person',
        kind: 'choice',
        default: 'VOUCHER',
        options: { VOUCHER: "the DApp's backend, by a voucher", OIDC: 'an OpenID Connect issuer, by an ID token' },
      },
      ...(source === 'VOUCHER'
        ? {
            signer: {
              label: "Address of the backend's signing key",
              kind: 'address',
              default: '',
              example: '0x…',
            } as const,
          }
        : ({
            issuer: { label: 'Issuer', kind: 'text', default: '', example: 'https://accounts.example.com' },
            audience: { label: 'Audience', kind: 'text', default: '', example: 'client id of the DApp' },
            claim: { label: 'Claim that identifies the person', kind: 'text', default: 'sub' },
            jwksUrl: {
              label: "URL of the issuer's keys",
              kind: 'text',
              default: '',
              optional: true,
              example: 'https://accounts.example.com/.well-known/jwks.json',
              help: 'Needed unless you paste the keys.',
            },
            jwks: {
              label: 'Keys (JWKS), instead of the URL',
              kind: 'text',
              default: '',
              optional: true,
              example: '{"keys": […]}',
              help: 'Needed without the URL.',
            },
            senderClaim: {
              label: "Claim with the sender's address",
              kind: 'text',
              default: '',
              optional: true,
              help: 'Without it, anyone who gets hold of a token can use it with their own account.',
            },
          } as const)),
    }),
    note: (sentence = 'Enter whom you trust to say who a person is.') =>
      `${sentence} A DApp may have several such rules: an operation has to meet one of them. Gasdesk stores neither the person nor the proof, only a keyed hash.`,
  },
};
