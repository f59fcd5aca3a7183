import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vectorCases } from '../../../test/support/vectors.ts';
import { nativeSignDigest, portableSignDigest } from './sign-digest.ts';

const bytes = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');

describe('signing a digest', () => {
  it('is native where a binary is prebuilt, so that signing does not take most of a request', () => {
    const prebuilt = ['linux-x64', 'win32-x64', 'darwin-arm64'].includes(`${process.platform}-${process.arch}`);
    expect(nativeSignDigest !== undefined).toBe(prebuilt);
  });

  it.each(vectorCases('paymaster-layouts'))(
    'gives the signature the contract accepted, natively and without: $id',
    ({ signerPrivateKey, ethSignedDigest, signature }) => {
      for (const sign of [portableSignDigest, nativeSignDigest ?? portableSignDigest]) {
        expect(sign(bytes(signerPrivateKey), bytes(ethSignedDigest))).toBe(signature);
      }
    },
  );

  it.runIf(nativeSignDigest)('gives the same bytes natively as without, for any key and digest', () => {
    const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(word, word, (key, digest) => {
        // Makes the key non-zero and less than the curve's order.
        key[0] = 1;
        return nativeSignDigest!(key, digest) === portableSignDigest(key, digest);
      }),
    );
  });
});
