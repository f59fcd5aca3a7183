import { type JWTPayload, SignJWT, exportSPKI, generateKeyPair, importJWK } from 'jose';
import { HDNodeWallet, Signature } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { type IssuerKey, accountOf, backend, issuerKey, tokenOf, voucherFor } from '../support/people.ts';

const desk = useOfflineDesk();

const ISSUER = 'https://login.example';
const AUDIENCE = 'game';
const SENDER = accountOf(1);
const HOUR = 3_600;
/** The desk's clock stands still. */
const NOW = Date.UTC(2026, 0, 1) / 1000;

let vouching: SponsoredDapp;
let signing: SponsoredDapp;
let binding: SponsoredDapp;
let keys: Record<'ES256' | 'RS256' | 'EdDSA', IssuerKey>;
let nonce = 0;

const identity = async (policyData: object): Promise<SponsoredDapp> => {
  const dapp = await desk().dapp();
  const rule = { name: 'People', policyType: 'IDENTITY', policyData };
  await desk().call('rules.create', { paymasterId: dapp.paymasterId, rule });
  return dapp;
};

beforeAll(async () => {
  keys = { ES256: await issuerKey(), RS256: await issuerKey('RS256'), EdDSA: await issuerKey('EdDSA') };
  const jwks = { keys: Object.values(keys).map(({ publicJwk }) => publicJwk) };
  const oidc = { source: 'OIDC', issuer: ISSUER, audience: AUDIENCE, jwks };
  vouching = await identity({ source: 'VOUCHER', signer: backend.address });
  signing = await identity(oidc);
  binding = await identity({ ...oidc, claim: 'user', senderClaim: 'wallets' });
});

/** The code of the denial and, of an invalid proof, what is wrong with it. */
const verdictOf = ({ body }: RpcReply, { trace }: { trace: readonly { rule: string; evidence: object }[] }): string => {
  const code = body.result?.reason?.code ?? (body.error === undefined ? 'SPONSORED' : `error ${body.error.code}`);
  const { fault } = (trace.find(({ rule }) => rule === 'identity')?.evidence ?? {}) as { fault?: string };
  return code === 'SUBJECT_INVALID' ? String(fault) : code;
};

const verdict = async (dapp: SponsoredDapp, options: object, sender: Address = SENDER): Promise<string> => {
  nonce += 1;
  const op = operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { sender, nonce: `0x${nonce.toString(16)}` });
  const reply = await dapp.sponsor(op, options as Record<string, unknown>);
  const [decision] = await dapp.decisions();
  if (decision === undefined) throw new Error('nothing was decided');
  return verdictOf(reply, decision);
};

describe('a voucher', () => {
  const terms = (changes: object = {}) => ({
    paymasterId: vouching.paymasterId,
    sender: SENDER,
    subject: 'ada',
    expiresAt: NOW + HOUR,
    ...changes,
  });
  type Voucher = Awaited<ReturnType<typeof voucherFor>>;
  const other = HDNodeWallet.createRandom();
  const highS = (signature: string): string => {
    const { r, s, v } = Signature.from(signature);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const negative = (order - BigInt(s)).toString(16).padStart(64, '0');
    return `${r}${negative}${v === 27 ? '1c' : '1b'}`;
  };
  const changed = (change: (voucher: Voucher) => unknown) => async () => change(await voucherFor(terms()));

  test.each<[name: string, voucher: () => unknown, code: string]>([
    ['as it should be', () => voucherFor(terms()), 'SPONSORED'],
    [
      'in another letter case',
      changed((v) => ({ ...v, signature: v.signature.toUpperCase().replace('X', 'x') })),
      'SPONSORED',
    ],
    ['with its expiry in hex', changed((v) => ({ ...v, expiresAt: `0x${v.expiresAt.toString(16)}` })), 'SPONSORED'],
    ['with unknown members', changed((v) => ({ ...v, name: 'Ada' })), 'SPONSORED'],
    ['of the longest time', () => voucherFor(terms({ expiresAt: NOW + 30 * 86_400 })), 'SPONSORED'],
    ['that is null', () => null, 'SUBJECT_MISSING'],
    ['that is not sent', () => undefined, 'SUBJECT_MISSING'],
    ['that expires now', () => voucherFor(terms({ expiresAt: NOW })), 'SUBJECT_EXPIRED'],
    ['of 1970', () => voucherFor(terms({ expiresAt: 0 })), 'SUBJECT_EXPIRED'],
    ['that lasts too long', () => voucherFor(terms({ expiresAt: NOW + 30 * 86_400 + 1 })), 'VOUCHER_TOO_LONG'],
    [
      'with its expiry in milliseconds',
      () => voucherFor(terms({ expiresAt: (NOW + HOUR) * 1000 })),
      'VOUCHER_TOO_LONG',
    ],
    [
      'sent with its expiry in milliseconds',
      changed((v) => ({ ...v, expiresAt: v.expiresAt * 1000 })),
      'VOUCHER_SIGNER',
    ],
    ['with a later expiry than was signed', changed((v) => ({ ...v, expiresAt: v.expiresAt + 1 })), 'VOUCHER_SIGNER'],
    ['of another person than was signed', changed((v) => ({ ...v, subject: 'eve' })), 'VOUCHER_SIGNER'],
    ['of the same name in another case', changed((v) => ({ ...v, subject: 'Ada' })), 'VOUCHER_SIGNER'],
    ['by another key', () => voucherFor(terms(), other), 'VOUCHER_SIGNER'],
    ['for another sender', () => voucherFor(terms({ sender: accountOf(2) })), 'VOUCHER_SIGNER'],
    ['of another chain', () => voucherFor(terms({ chainId: 1 })), 'VOUCHER_SIGNER'],
    ['of another DApp', () => voucherFor(terms({ paymasterId: signing.paymasterId })), 'VOUCHER_SIGNER'],
    [
      'signed as a message',
      async () => ({ ...(await voucherFor(terms())), signature: await backend.signMessage('ada') }),
      'VOUCHER_SIGNER',
    ],
    ['with a high s', changed((v) => ({ ...v, signature: highS(v.signature) })), 'VOUCHER_SIGNATURE'],
    [
      'with a compact signature',
      changed((v) => ({ ...v, signature: Signature.from(v.signature).compactSerialized })),
      'VOUCHER_SIGNATURE',
    ],
    ['with v 0 or 1', changed((v) => ({ ...v, signature: `${v.signature.slice(0, -2)}00` })), 'VOUCHER_SIGNATURE'],
    ['with one byte more', changed((v) => ({ ...v, signature: `${v.signature}00` })), 'VOUCHER_SIGNATURE'],
    ['without a signature', changed(({ signature: _, ...v }) => v), 'VOUCHER_FORM'],
    ['with an empty signature', changed((v) => ({ ...v, signature: '0x' })), 'VOUCHER_SIGNATURE'],
    ['with r and s of zero', changed((v) => ({ ...v, signature: `0x${'00'.repeat(64)}1b` })), 'VOUCHER_SIGNER'],
    ['without a subject', () => voucherFor(terms({ subject: '' })), 'VOUCHER_FORM'],
    ['of an endless subject', () => voucherFor(terms({ subject: 'a'.repeat(257) })), 'VOUCHER_FORM'],
    ['of a subject that is no text', changed((v) => ({ ...v, subject: 7 })), 'VOUCHER_FORM'],
    ['of a subject with half a character', changed((v) => ({ ...v, subject: '\ud83d' })), 'VOUCHER_FORM'],
    ['with a negative expiry', changed((v) => ({ ...v, expiresAt: -1 })), 'VOUCHER_FORM'],
    ['with a fractional expiry', changed((v) => ({ ...v, expiresAt: v.expiresAt + 0.5 })), 'VOUCHER_FORM'],
    ['with an expiry beyond 64 bits', changed((v) => ({ ...v, expiresAt: `0x1${'0'.repeat(16)}` })), 'VOUCHER_FORM'],
    ['that is a text', changed((v) => JSON.stringify(v)), 'VOUCHER_FORM'],
    ['that is a list', changed((v) => [v]), 'VOUCHER_FORM'],
    ['that is true', () => true, 'VOUCHER_FORM'],
  ])('%s', async (_, voucher, code) => {
    expect(await verdict(vouching, { voucher: await voucher() })).toBe(code);
  });

  test('is worth nothing at a DApp that wants a token', async () => {
    expect(await verdict(signing, { voucher: await voucherFor(terms({ paymasterId: signing.paymasterId })) })).toBe(
      'SUBJECT_MISSING',
    );
  });
});

describe('an ID token', () => {
  const claims = (changes: JWTPayload = {}): JWTPayload => ({
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'ada',
    exp: NOW + HOUR,
    ...changes,
  });
  const signed = (changes: JWTPayload = {}, header: object = {}) => tokenOf(keys.ES256, claims(changes), header);
  const encoded = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  /** Parts as they are, signed by the issuer. */
  const signedText = async (header: string, payload: string): Promise<string> => {
    const content = `${encoded(header)}.${encoded(payload)}`;
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const bytes = await crypto.subtle.sign(algorithm, keys.ES256.privateKey, Buffer.from(content));
    return `${content}.${Buffer.from(bytes).toString('base64url')}`;
  };
  const withHmac = async (secret: Uint8Array): Promise<string> =>
    new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: keys.RS256.kid }).sign(secret);
  const publicPem = async (): Promise<Uint8Array> => {
    const key = await importJWK(keys.RS256.publicJwk, 'RS256', { extractable: true });
    return Buffer.from(key instanceof Uint8Array ? '' : await exportSPKI(key));
  };
  const header = (): string => JSON.stringify({ alg: 'ES256', kid: keys.ES256.kid });
  const without = (...names: string[]): JWTPayload =>
    Object.fromEntries(Object.entries(claims()).filter(([name]) => !names.includes(name)));

  test.each<[name: string, token: () => unknown, code: string]>([
    ['signed with ES256', () => signed(), 'SPONSORED'],
    ['signed with RS256', () => tokenOf(keys.RS256, claims()), 'SPONSORED'],
    ['signed with EdDSA', () => tokenOf(keys.EdDSA, claims()), 'SPONSORED'],
    ['without the id of its key', () => signed({}, { kid: undefined }), 'SPONSORED'],
    ['for several audiences', () => signed({ aud: ['shop', AUDIENCE] }), 'SPONSORED'],
    ['that expired 59 s ago', () => signed({ exp: NOW - 59 }), 'SPONSORED'],
    ['that is valid in 60 s', () => signed({ nbf: NOW + 60 }), 'SPONSORED'],
    ['that is null', () => null, 'SUBJECT_MISSING'],
    ['that expired 60 s ago', () => signed({ exp: NOW - 60 }), 'SUBJECT_EXPIRED'],
    ['that expired in 1970', () => signed({ exp: 0 }), 'SUBJECT_EXPIRED'],
    ['that is valid in 61 s', () => signed({ nbf: NOW + 61 }), 'TOKEN_NOT_YET'],
    ['without an expiry', () => tokenOf(keys.ES256, without('exp')), 'TOKEN_EXPIRY'],
    ['with its expiry as text', () => signed({ exp: String(NOW + HOUR) as never }), 'TOKEN_EXPIRY'],
    ['with an endless expiry', () => signed({ exp: 1e300 }), 'TOKEN_EXPIRY'],
    ['with a negative expiry', () => signed({ exp: -1 }), 'TOKEN_EXPIRY'],
    ['with its beginning as text', () => signed({ nbf: 'now' as never }), 'TOKEN_EXPIRY'],
    ['of another issuer', () => signed({ iss: 'https://evil.example' }), 'TOKEN_ISSUER'],
    ['of the issuer with a slash', () => signed({ iss: `${ISSUER}/` }), 'TOKEN_ISSUER'],
    ['of a list of issuers', () => signed({ iss: [ISSUER] as never }), 'TOKEN_ISSUER'],
    ['for another audience', () => signed({ aud: 'shop' }), 'TOKEN_AUDIENCE'],
    ['for an object as audience', () => signed({ aud: { [AUDIENCE]: true } as never }), 'TOKEN_AUDIENCE'],
    ['for no audience', () => tokenOf(keys.ES256, without('aud')), 'TOKEN_AUDIENCE'],
    ['without a person', () => tokenOf(keys.ES256, without('sub')), 'TOKEN_CLAIM'],
    ['of an empty person', () => signed({ sub: '' }), 'TOKEN_CLAIM'],
    ['of a person who is a number', () => signed({ sub: 7 as never }), 'TOKEN_CLAIM'],
    ['of a person who is a list', () => signed({ sub: ['ada'] as never }), 'TOKEN_CLAIM'],
    ['of an endless person', () => signed({ sub: 'a'.repeat(257) }), 'TOKEN_CLAIM'],
    ['with the algorithm none', () => `${encoded({ alg: 'none' })}.${encoded(claims())}.`, 'TOKEN_FORM'],
    [
      'with the algorithm none and a signature',
      async () => `${encoded({ alg: 'none' })}.${encoded(claims())}.${(await signed()).split('.')[2]}`,
      'TOKEN_ALGORITHM',
    ],
    ['with HS256 and the public key as secret', async () => withHmac(await publicPem()), 'TOKEN_ALGORITHM'],
    [
      'with HS256 and the modulus as secret',
      () => withHmac(Buffer.from(keys.RS256.publicJwk.n ?? '', 'base64url')),
      'TOKEN_ALGORITHM',
    ],
    [
      'with RS384',
      async () => {
        const { privateKey } = await generateKeyPair('RS384');
        return tokenOf({ ...keys.RS256, alg: 'RS384', privateKey }, claims());
      },
      'TOKEN_ALGORITHM',
    ],
    [
      'by a key of the same id',
      async () => tokenOf({ ...(await issuerKey()), kid: keys.ES256.kid }, claims()),
      'TOKEN_SIGNATURE',
    ],
    ['by a key of another kind', () => tokenOf({ ...keys.RS256, kid: keys.ES256.kid }, claims()), 'TOKEN_KEY'],
    ['by an unknown key', async () => tokenOf(await issuerKey(), claims()), 'TOKEN_KEY'],
    [
      'by a key that it brings itself',
      async () => {
        const own = await issuerKey();
        return tokenOf(own, claims(), { jwk: own.publicJwk, jku: 'https://evil.example/keys' });
      },
      'TOKEN_KEY',
    ],
    [
      'with an altered content',
      async () => {
        const [head, , signature] = (await signed()).split('.');
        return `${head}.${encoded(claims({ sub: 'eve' }))}.${signature}`;
      },
      'TOKEN_SIGNATURE',
    ],
    [
      'with an extension that must be understood',
      () =>
        signedText(JSON.stringify({ ...JSON.parse(header()), crit: ['b64'], b64: false }), JSON.stringify(claims())),
      'TOKEN_FORM',
    ],
    [
      'that names a claim twice',
      () => signedText(header(), JSON.stringify(claims()).replace('{', '{"sub":"eve",')),
      'TOKEN_FORM',
    ],
    [
      'that names its key twice',
      () => signedText(header().replace('{', '{"kid":"x",'), JSON.stringify(claims())),
      'TOKEN_FORM',
    ],
    ['whose content is a list', () => signedText(header(), '[]'), 'TOKEN_FORM'],
    ['whose content is no JSON', () => signedText(header(), 'ada'), 'TOKEN_FORM'],
    ['of more than 16 KiB', () => signed({ filler: 'a'.repeat(17_000) }), 'TOKEN_FORM'],
    ['with spaces', async () => ` ${await signed()}`, 'TOKEN_FORM'],
    ['of five parts', async () => `${await signed()}.a.b`, 'TOKEN_FORM'],
    ['that is an object', () => claims(), 'TOKEN_FORM'],
    ['that is a list', async () => [await signed()], 'TOKEN_FORM'],
    ['that is empty', () => '', 'TOKEN_FORM'],
  ])('%s', async (_, token, code) => {
    expect(await verdict(signing, { idToken: await token() })).toBe(code);
  });

  test.each<[name: string, claims: JWTPayload, code: string]>([
    ['names the sender', { user: 'ada', wallets: SENDER }, 'SPONSORED'],
    [
      'names the sender among others',
      { user: 'ada', wallets: [accountOf(2), SENDER.toUpperCase().replace('X', 'x')] },
      'SPONSORED',
    ],
    ['names another account', { user: 'ada', wallets: accountOf(2) }, 'TOKEN_SENDER'],
    [
      'names the sender too late in a list',
      { user: 'ada', wallets: [...Array<string>(100).fill(accountOf(2)), SENDER] },
      'TOKEN_SENDER',
    ],
    ['names no account', { user: 'ada' }, 'TOKEN_SENDER'],
    ['names the sender as an object', { user: 'ada', wallets: { [SENDER]: SENDER } }, 'TOKEN_SENDER'],
    ['names the person elsewhere', { sub: 'ada', wallets: SENDER }, 'TOKEN_CLAIM'],
  ])('of a rule that also looks at the sender: %s', async (_, changes, code) => {
    const token = await tokenOf(keys.ES256, { ...without('sub'), ...changes });
    expect(await verdict(binding, { idToken: token })).toBe(code);
  });

  test('of another DApp of the same issuer is not for this one', async () => {
    const dapp = await identity({
      source: 'OIDC',
      issuer: ISSUER,
      audience: 'shop',
      jwks: { keys: [keys.ES256.publicJwk] },
    });
    const token = await signed();
    expect(await verdict(signing, { idToken: token })).toBe('SPONSORED');
    expect(await verdict(dapp, { idToken: token })).toBe('TOKEN_AUDIENCE');
  });
});
