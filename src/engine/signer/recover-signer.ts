import { type RecoverSigner, isTakenByContracts } from '../../core/replay/recover-signer.ts';
import { keccak256 } from '../../core/user-operation/keccak256.ts';
import { ethSignedDigest } from './sign.ts';
import { type NativeBinding, binding } from './sign-digest.ts';

const recovering =
  ({ ecdsaRecover }: NativeBinding): RecoverSigner =>
  (hash, signature) => {
    if (!isTakenByContracts(signature)) return undefined;
    const bytes = Buffer.from(signature.slice(2), 'hex');
    const recid = (bytes[64] ?? 0) - 27;
    try {
      const digest = Buffer.from(ethSignedDigest(hash).slice(2), 'hex');
      const publicKey = ecdsaRecover(bytes.subarray(0, 64), recid, digest, false, Buffer.alloc(65));
      return `0x${keccak256(publicKey.subarray(1)).slice(26)}`;
    } catch {
      return undefined;
    }
  };

/** Recovers signers with libsecp256k1, which is some thirty times as fast; undefined if it cannot be loaded. */
export const nativeRecoverSigner: RecoverSigner | undefined = binding && recovering(binding);
