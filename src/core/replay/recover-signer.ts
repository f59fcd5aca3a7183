import { getBytes, hashMessage, recoverAddress } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';

/**
 * Recovers the signer of a hash from its EIP-191 signature of 65 bytes, `r || s || v`; undefined if the signature is
 * invalid.
 */
export type RecoverSigner = (hash: Hex, signature: Hex) => Address | undefined;

/** The signatures that contracts accept: `v` is 27 or 28, and `s` is in the lower half of its range. */
const TAKEN = /^0x[0-9a-f]{64}[0-7][0-9a-f]{63}1[bc]$/i;

export const isTakenByContracts = (signature: Hex): boolean => TAKEN.test(signature);

/** Recovers the signer with ethers, which runs on every platform. */
export const portableRecoverSigner: RecoverSigner = (hash, signature) => {
  if (!isTakenByContracts(signature)) return undefined;
  try {
    return recoverAddress(hashMessage(getBytes(hash)), signature) as Address;
  } catch {
    return undefined;
  }
};
