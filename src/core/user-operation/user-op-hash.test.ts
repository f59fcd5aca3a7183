import { describe, expect, it } from 'vitest';
import { operationV06, operationV07, vectorCases } from '../../../test/support/vectors.ts';
import type { UserOpHashVector } from '../../../test/support/vectors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { isEip7702, userOpHash } from './user-op-hash.ts';

const cases = vectorCases('userop-hash');

function localHash(vector: UserOpHashVector): Hex {
  const { entryPointVersion: version, eip7702Delegate: delegate } = vector;
  const domain = { chainId: vector.chainId, entryPoint: vector.entryPoint };
  if (version === '0.6') return userOpHash[version](operationV06(vector), domain);
  if (version === '0.7') return userOpHash[version](operationV07(vector), domain);
  return userOpHash[version](operationV07(vector), delegate === undefined ? domain : { ...domain, delegate });
}

describe('userOpHash', () => {
  it('has vectors of all three EntryPoints', () => {
    expect(cases).toHaveLength(23);
  });

  it.each(cases)('finds the event of a sponsored operation: $id, $description', (vector) => {
    expect(localHash(vector)).toBe(vector.userOpHash);
  });

  it.each(vectorCases('paymaster-layouts').filter((vector) => vector.entryPointVersion === '0.6'))(
    'finds the event of the operation mined with paymaster data of $id',
    (vector) => {
      expect(localHash(vector)).toBe(vector.userOpHash);
    },
  );

  it('refuses to guess the hash of an EIP-7702 operation whose delegate is not known', () => {
    const [vector] = cases.filter((candidate) => candidate.eip7702Delegate !== undefined);
    if (vector === undefined) throw new Error('no EIP-7702 vector');
    const { chainId, entryPoint } = vector;
    expect(() => userOpHash['0.8'](operationV07(vector), { chainId, entryPoint })).toThrow(/delegate/);
  });
});

describe('isEip7702', () => {
  it.each<[Hex, boolean]>([
    ['0x', false],
    ['0x77', false],
    ['0x7702', true],
    ['0x770200', true],
    [`0x7702${'00'.repeat(18)}`, true],
    [`0x7702${'00'.repeat(18)}ff`, true],
    [`0x7702${'00'.repeat(17)}01`, false],
    [`0x7703${'00'.repeat(18)}`, false],
  ])('asks for the delegate of exactly those accounts the EntryPoint hashes by it: %s', (initCode, expected) => {
    expect(isEip7702(initCode)).toBe(expected);
  });
});
