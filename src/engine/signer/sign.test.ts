import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { getBytes, verifyMessage } from 'ethers';
import { vectorCases } from '../../../test/support/vectors.ts';
import { ethSignedDigest, signDigest } from './sign.ts';

const cases = vectorCases('paymaster-layouts');

describe('signDigest', () => {
  it.each(cases)('makes the signature the contract accepted: $id', (vector) => {
    expect(ethSignedDigest(vector.hash)).toBe(vector.ethSignedDigest);
    expect(signDigest(vector.signerPrivateKey, vector.hash)).toBe(vector.signature);
    expect(signDigest(getBytes(vector.signerPrivateKey), vector.hash)).toBe(vector.signature);
    expect(verifyMessage(getBytes(vector.hash), vector.signature)).toBe(vector.signerAddress);
  });

  it('signs 32-byte hashes only, so that it cannot be made to sign a message', () => {
    const key = `0x${'01'.repeat(32)}` as const;
    expect(() => signDigest(key, '0x')).toThrow(RangeError);
    expect(() => signDigest(key, `0x${'ab'.repeat(33)}`)).toThrow(RangeError);
  });

  it.each([`0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`, '0x5ec2e7'] as const)(
    'does not print a key that cannot sign: %s',
    (key) => {
      const failure = failureOf(() => signDigest(key, `0x${'ab'.repeat(32)}`));
      expect(failure).toBeInstanceOf(Error);
      expect(inspect(failure)).not.toContain(key.slice(2));
    },
  );
});

const failureOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};
