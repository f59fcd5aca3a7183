import { ed25519 } from '@noble/curves/ed25519.js';
import { getBytes, sha256 } from 'ethers';
import type { LogCrypto } from './signed-note.ts';

/** Implemented in JavaScript, so that a log can be verified in a browser. */
export const portableLogCrypto: LogCrypto = {
  sha256: (bytes) => getBytes(sha256(bytes)),
  verifyEd25519(publicKey, message, signature) {
    try {
      return ed25519.verify(signature, message, publicKey);
    } catch {
      // The public key is not a point on the curve.
      return false;
    }
  },
};
