import { SigningKey } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';
import { type NativeBinding, binding } from './secp256k1-binding.ts';

/** Signs a 32-byte digest as `r || s || v`: deterministic (RFC 6979), low s, v 27 or 28. Throws on an invalid key. */
export type SignDigest = (privateKey: Uint8Array, digest: Uint8Array) => Hex;

/** Signs with ethers, which runs on every platform. */
export const portableSignDigest: SignDigest = (privateKey, digest) =>
  new SigningKey(privateKey).sign(digest).serialized as Hex;

/** Overwritten by each signature: a new buffer takes longer than everything around the signing. */
const output = Buffer.alloc(64);

const signingWith =
  ({ ecdsaSign }: NativeBinding): SignDigest =>
  (privateKey, digest) => {
    const { signature, recid } = ecdsaSign(digest, privateKey, undefined, output);
    return `0x${signature.toString('hex')}${(27 + recid).toString(16)}`;
  };

/** Signs with libsecp256k1, which is about eight times as fast; undefined if it cannot be loaded. */
export const nativeSignDigest: SignDigest | undefined = binding && signingWith(binding);
