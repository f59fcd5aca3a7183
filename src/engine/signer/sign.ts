import type { Hex } from '../../shared/schema/hex.ts';
import { byteLength, digits, keccak } from '../../core/user-operation/hex-digits.ts';
import { nativeSignDigest, portableSignDigest } from './sign-digest.ts';

const EIP_191_HEAD = Buffer.from('\x19Ethereum Signed Message:\n32').toString('hex');

/**
 * The EIP-191 digest of a 32-byte hash, from which paymaster contracts recover the signer. Throws if the hash has
 * another length.
 */
export function ethSignedDigest(hash: Hex): Hex {
  if (byteLength(hash) !== 32) throw new RangeError(`a hash has 32 bytes, not ${byteLength(hash)}`);
  return keccak(EIP_191_HEAD, digits(hash));
}

/** Signs with the fastest implementation that this platform has. */
export const sign = nativeSignDigest ?? portableSignDigest;

export const toBytes = (value: Hex): Uint8Array => Buffer.from(digits(value), 'hex');

/**
 * Signs a sponsorship: the 65-byte EIP-191 signature `r || s || v` over a 32-byte hash. Deterministic (RFC 6979), low
 * s, v 27 or 28. Throws if the hash is not 32 bytes or the private key is not valid for secp256k1.
 */
export const signDigest = (privateKey: Uint8Array | Hex, hash: Hex): Hex =>
  sign(typeof privateKey === 'string' ? toBytes(privateKey) : privateKey, toBytes(ethSignedDigest(hash)));
