import { recoverAddress } from 'ethers';
import { type RecoverSigner, isTakenByContracts } from '../../core/replay/recover-signer.ts';
import { keccak256 } from '../../core/user-operation/keccak256.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { ethSignedDigest } from './sign.ts';
import { type NativeBinding, binding } from './secp256k1-binding.ts';

/** Recovers the signer of a digest; undefined if the signature is invalid. */
type RecoverFromDigest = (digest: Hex, signature: Hex) => Address | undefined;

const recovering =
  ({ ecdsaRecover }: NativeBinding): RecoverFromDigest =>
  (digest, signature) => {
    if (!isTakenByContracts(signature)) return undefined;
    const bytes = Buffer.from(signature.slice(2), 'hex');
    const recid = (bytes[64] ?? 0) - 27;
    try {
      const signed = Buffer.from(digest.slice(2), 'hex');
      const publicKey = ecdsaRecover(bytes.subarray(0, 64), recid, signed, false, Buffer.alloc(65));
      return `0x${keccak256(publicKey.subarray(1)).slice(26)}`;
    } catch {
      return undefined;
    }
  };

const recoverNatively = binding && recovering(binding);

/** Recovers signers with libsecp256k1, which is some thirty times as fast; undefined if it cannot be loaded. */
export const nativeRecoverSigner: RecoverSigner | undefined =
  recoverNatively && ((hash, signature) => recoverNatively(ethSignedDigest(hash), signature));

/** Recovers the signer of a digest that is not an EIP-191 message, natively where that can be loaded. */
export const recoverFromDigest: RecoverFromDigest =
  recoverNatively ??
  ((digest, signature) => {
    if (!isTakenByContracts(signature)) return undefined;
    try {
      return recoverAddress(digest, signature) as Address;
    } catch {
      return undefined;
    }
  });
