import { describe, expect, it } from 'vitest';
import { type UserOpHashVector, operationOf, vectorCases } from '../../../test/support/vectors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { allEntryPoints, entryPoints } from './registry.ts';

const cases = vectorCases('userop-hash');

const localHash = (vector: UserOpHashVector): Hex => {
  const { chainId, entryPoint, entryPointVersion, eip7702Delegate: delegate } = vector;
  const domain = { chainId, entryPoint, ...(delegate !== undefined && { delegate }) };
  return entryPoints[entryPointVersion].hash(operationOf(vector), domain);
};

describe('the hash of an operation', () => {
  it('has vectors of every EntryPoint', () => {
    expect(cases).toHaveLength(23);
    expect(new Set(cases.map(({ entryPointVersion }) => entryPointVersion))).toEqual(new Set(Object.keys(entryPoints)));
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

  it('refuses to guess the hash of an EIP-7702 operation whose delegate is unknown', () => {
    const [vector] = cases.filter((candidate) => candidate.eip7702Delegate !== undefined);
    if (vector === undefined) throw new Error('no EIP-7702 vector');
    const { eip7702Delegate: _, ...without } = vector;
    expect(() => localHash(without)).toThrow(/delegate/);
  });

  it.each(cases)('is not that of an EntryPoint whose operations have another form: $id', (vector) => {
    const { chainId, entryPoint, entryPointVersion } = vector;
    const { isPacked } = entryPoints[entryPointVersion];
    for (const other of allEntryPoints.filter((one) => one.isPacked !== isPacked)) {
      expect(() => other.hash(operationOf(vector), { chainId, entryPoint })).toThrow(/EntryPoint/);
    }
  });
});
