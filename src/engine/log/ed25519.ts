import { type KeyObject, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { LogCrypto } from '../../core/log/signed-note.ts';
import { sha256 } from '../base/sha256.ts';

/** DER prefixes of 32 key bytes: PKCS #8 of a private key, SPKI of a public one (RFC 8410). */
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');

/** The private key with these 32 bytes (RFC 8032). */
const privateKeyOf = (bytes: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_DER, bytes]), format: 'der', type: 'pkcs8' });

export const publicKeyOf = (privateKey: Uint8Array): Uint8Array =>
  createPublicKey(privateKeyOf(privateKey)).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length);

/** An Ed25519 signature: 64 bytes. */
export const signEd25519 = (privateKey: Uint8Array, message: Uint8Array): Uint8Array =>
  sign(null, message, privateKeyOf(privateKey));

export const logCrypto: LogCrypto = {
  sha256,
  verifyEd25519: (publicKey, message, signature) =>
    verify(
      null,
      message,
      createPublicKey({ key: Buffer.concat([PUBLIC_DER, publicKey]), format: 'der', type: 'spki' }),
      signature,
    ),
};
