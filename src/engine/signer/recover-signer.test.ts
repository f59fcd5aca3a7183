import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portableRecoverSigner } from '../../core/replay/recover-signer.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { nativeRecoverSigner } from './recover-signer.ts';
import { signDigest } from './sign.ts';

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const word = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe.runIf(nativeRecoverSigner)('recovering a signer natively', () => {
  it('finds the signer that ethers finds', () => {
    fc.assert(
      fc.property(word, word, (key, hash) => {
        // Below the order of the curve, and not zero.
        key[0] = 1;
        const signature = signDigest(key, hexOf(hash));
        const signer = portableRecoverSigner(hexOf(hash), signature)?.toLowerCase();
        expect(signer).toBeDefined();
        expect(nativeRecoverSigner?.(hexOf(hash), signature)).toBe(signer);
      }),
    );
  });

  it('takes and refuses the signatures that ethers takes and refuses, whatever their bytes', () => {
    const signature = fc
      .tuple(word, word, fc.constantFrom(0, 1, 2, 26, 27, 28, 29, 35, 255))
      .map(([r, s, v]) => hexOf(Uint8Array.from([...r, ...s, v])));
    const odd = fc.constantFrom<Hex>(
      '0x',
      '0x00',
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(65)}`,
      `0x${'11'.repeat(66)}`,
    );
    fc.assert(
      fc.property(word, fc.oneof(signature, odd), (hash, any) => {
        const byEthers = portableRecoverSigner(hexOf(hash), any)?.toLowerCase();
        expect(nativeRecoverSigner?.(hexOf(hash), any)).toBe(byEthers);
      }),
    );
  });
});
