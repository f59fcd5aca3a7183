import { getBytes, hashMessage, SigningKey } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';

/** The EIP-191 digest of a 32-byte hash, which paymaster contracts recover the signer from. Throws on other lengths. */
export function ethSignedDigest(hash: Hex): Hex {
  const bytes = getBytes(hash);
  if (bytes.length !== 32) throw new RangeError(`a hash has 32 bytes, not ${bytes.length}`);
  return hashMessage(bytes) as Hex;
}

/**
 * Signs a sponsorship: the 65-byte EIP-191 signature `r || s || v` over a 32-byte hash. Deterministic (RFC 6979),
 * low s, v 27 or 28. Throws if the hash has not 32 bytes or the private key is none of secp256k1's.
 */
export const signDigest = (privateKey: Uint8Array | Hex, hash: Hex): Hex =>
  new SigningKey(privateKey).sign(ethSignedDigest(hash)).serialized as Hex;
