import { createPrivateKey, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Wallet, sha256, toUtf8Bytes } from 'ethers';
import type { Draw } from '../support/draw.ts';
import { CHAIN_ID } from './contracts.ts';
import { type Dapp, HOSTS, HOUR_MS, type World } from './world.ts';

/** What a client sends to say who the user is. */
export interface Proof {
  readonly sent: object;
  /** Who it is; undefined if this is no proof. */
  readonly person: string | undefined;
}

const backend = new Wallet(`0x${'3'.repeat(64)}`);
const stranger = new Wallet(`0x${'4'.repeat(64)}`);
const ISSUER = 'https://login.example.com';
const AUDIENCE = 'game';

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');

/** The beginning of PKCS #8 for a private key of Ed25519, up to the 32 bytes of its seed. */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The issuer's keys, one after the other; the last one is a stranger's. */
const keys = [1, 2, 3].map((nth) => {
  const der = Buffer.concat([ED25519, Buffer.alloc(32, nth)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x } = key.export({ format: 'jwk' });
  return { key, published: { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', kid: `key ${nth}`, x } };
});
const STRANGE_KEY = keys.length - 1;

/** The rule that requires a person. */
export const identityRule = (vouching: NonNullable<Dapp['vouching']>) => ({
  name: 'People',
  policyType: 'IDENTITY',
  policyData:
    vouching === 'VOUCHER'
      ? { source: vouching, signer: backend.address }
      : { source: vouching, issuer: ISSUER, audience: AUDIENCE, jwksUrl: `http://${HOSTS.issuer}:80/keys` },
});

const voucher = async (signer: Wallet, dapp: Dapp, sender: string, subject: string, expiresAt: number) => {
  const domain = { name: 'Gasdesk', version: '1', chainId: CHAIN_ID, salt: sha256(toUtf8Bytes(dapp.paymasterId)) };
  const types = {
    Voucher: ['address sender', 'string subject', 'uint64 expiresAt'].map((field) => {
      const [type = '', name = ''] = field.split(' ');
      return { name, type };
    }),
  };
  const signature = await signer.signTypedData(domain, types, { sender, subject, expiresAt });
  return { subject, expiresAt, signature };
};

const idToken = (nth: number, claims: object): string => {
  const { key, published } = keys[nth] ?? {};
  if (key === undefined || published === undefined) throw new Error('The issuer has no such key');
  const signed = [{ alg: 'EdDSA', kid: published.kid }, claims]
    .map((part) => base64url(JSON.stringify(part)))
    .join('.');
  return `${signed}.${base64url(sign(null, Buffer.from(signed), key))}`;
};

/** More than the machine's clock may be wrong. */
const LONG_S = (2 * HOUR_MS) / 1_000;

/** What a client of a DApp that wants to know persons sends: mostly a proof of one of few persons. */
export const proofOf = async (world: World, draw: Draw, dapp: Dapp, sender: string): Promise<Proof> => {
  if (dapp.vouching === undefined) return { sent: {}, person: undefined };
  const subject = `person ${draw.below(3)}`;
  const now = Math.floor(world.time.now / 1_000);
  const wrong = draw.chance(75)
    ? undefined
    : draw.pick(['missing', 'expired', 'of a stranger', 'for another'] as const);
  if (wrong !== undefined) world.count(`proofs of persons: ${wrong}`);
  if (wrong === 'missing') return { sent: {}, person: undefined };
  const expiresAt = wrong === 'expired' ? now - LONG_S : now + LONG_S;
  const person = wrong === undefined ? subject : undefined;
  if (dapp.vouching === 'VOUCHER') {
    const signer = wrong === 'of a stranger' ? stranger : backend;
    const account = wrong === 'for another' ? `0x${'77'.repeat(20)}` : sender;
    return { sent: { voucher: await voucher(signer, dapp, account, subject, expiresAt) }, person };
  }
  const nth = wrong === 'of a stranger' ? STRANGE_KEY : world.issuerKey;
  const aud = wrong === 'for another' ? 'another game' : AUDIENCE;
  return { sent: { idToken: idToken(nth, { iss: ISSUER, aud, sub: subject, exp: expiresAt }) }, person };
};

/** Puts the issuer into the internet. It fails as often as webhooks do, and changes its key. */
export const openIssuer = (world: World): void => {
  const draw = world.draw.part('issuer');
  const percent = draw.pick([0, 20, 60]);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    await world.time.pass(draw.between(1, draw.chance(percent) ? 10_000 : 300));
    if (draw.chance(percent)) {
      world.count('keys of the issuer: not answered');
      if (draw.chance(50)) response.destroy();
      else response.writeHead(503).end('<html>');
      return;
    }
    world.count('keys of the issuer: read');
    // Tokens of the key before may still be in use.
    const published = keys.slice(0, world.issuerKey + 1).map((one) => one.published);
    response.end(JSON.stringify({ keys: published }));
  };
  world.internet.serve(HOSTS.issuer, (request, response) => world.run('issuer', serve(request, response)));
  world.every('identities', 10 * 60_000, () => {
    if (world.issuerKey + 1 < STRANGE_KEY) world.issuerKey += 1;
  });
};
