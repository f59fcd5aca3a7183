import { createRequire } from 'node:module';
import { SigningKey } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';

/** Signs a 32-byte digest as `r || s || v`: deterministic (RFC 6979), low s, v 27 or 28. Throws on an invalid key. */
export type SignDigest = (privateKey: Uint8Array, digest: Uint8Array) => Hex;

/**
 * The part of secp256k1's native binding that is used. The package's own entry point would fall back to slow
 * JavaScript.
 */
export interface NativeBinding {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recid: number,
    digest: Uint8Array,
    isCompressed: boolean,
    output: Buffer,
  ) => Buffer;
  ecdsaSign(
    digest: Uint8Array,
    privateKey: Uint8Array,
    options: undefined,
    output: Buffer,
  ): { readonly signature: Buffer; readonly recid: number };
}

/** Not called `require`, because the desktop app's bundle defines its own. */
const load = createRequire(import.meta.url);

const loadBinding = (): NativeBinding | undefined => {
  try {
    return load('secp256k1/bindings.js') as NativeBinding;
  } catch {
    // The binding is prebuilt only for Linux and Windows on x64 and for macOS on arm64.
    return undefined;
  }
};

/** Signs with ethers, which runs on every platform. */
export const portableSignDigest: SignDigest = (privateKey, digest) =>
  new SigningKey(privateKey).sign(digest).serialized as Hex;

/** The binding to libsecp256k1; undefined if it cannot be loaded. */
export const binding: NativeBinding | undefined = loadBinding();

/** Overwritten by each signature: a new buffer takes longer than everything around the signing. */
const output = Buffer.alloc(64);

/** Signs with libsecp256k1, which is about eight times as fast; undefined if it cannot be loaded. */
export const nativeSignDigest: SignDigest | undefined =
  binding &&
  ((privateKey, digest) => {
    const { signature, recid } = binding.ecdsaSign(digest, privateKey, undefined, output);
    return `0x${signature.toString('hex')}${(27 + recid).toString(16)}`;
  });
