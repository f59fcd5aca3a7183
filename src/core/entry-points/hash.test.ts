import fc from 'fast-check';
import { getUserOperationHash } from 'viem/account-abstraction';
import { describe, expect, it } from 'vitest';
import { type UserOpHashVector, operationOf, refusedHashes, vectorCases } from '../../../test/support/vectors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV07 } from '../../shared/schema/user-operation.ts';
import { signatureSuffix } from '../user-operation/paymaster-signature.ts';
import { withPaymasterAndData } from '../user-operation/paymaster-fields.ts';
import { allEntryPoints, entryPoints } from './registry.ts';

const cases = vectorCases('userop-hash');

const localHash = (vector: UserOpHashVector): Hex => {
  const { chainId, entryPoint, entryPointVersion, eip7702Delegate: delegate } = vector;
  const domain = { chainId, entryPoint, ...(delegate !== undefined && { delegate }) };
  return entryPoints[entryPointVersion].hash(operationOf(vector), domain);
};

describe('the hash of an operation', () => {
  it('has vectors of every EntryPoint', () => {
    expect(cases).toHaveLength(44);
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

const bytes = (constraints: fc.IntArrayConstraints): fc.Arbitrary<Hex> =>
  fc.uint8Array(constraints).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const gas = fc.bigInt(0n, (1n << 120n) - 1n);

const sponsored: fc.Arbitrary<UserOperationV07> = fc.record({
  sender: bytes({ minLength: 20, maxLength: 20 }),
  nonce: fc.bigInt(0n, (1n << 256n) - 1n),
  callData: bytes({ maxLength: 100 }),
  callGasLimit: gas,
  verificationGasLimit: gas,
  preVerificationGas: gas,
  maxFeePerGas: gas,
  maxPriorityFeePerGas: gas,
  paymaster: bytes({ minLength: 20, maxLength: 20 }),
  paymasterVerificationGasLimit: gas,
  paymasterPostOpGasLimit: gas,
  signature: bytes({ maxLength: 100 }),
});

it("is viem's for an operation of v0.9, with and without a paymaster signature of its own", () => {
  const { address, hash } = entryPoints['0.9'];
  const signature = bytes({ minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(sponsored, bytes({ maxLength: 100 }), fc.option(signature), (op, data, own) => {
      const suffix = own === null ? '' : signatureSuffix(own.slice(2));
      const paymasterData: Hex = `${data}${suffix}`;
      const userOperation = { ...op, paymasterData: data, ...(own !== null && { paymasterSignature: own }) };
      expect(hash({ ...op, paymasterData }, { chainId: 31_337, entryPoint: address })).toBe(
        getUserOperationHash({ chainId: 31_337, entryPointAddress: address, entryPointVersion: '0.9', userOperation }),
      );
    }),
  );
});

it.each(refusedHashes('0.9'))('does not exist where the EntryPoint has none: $what', ({ paymasterAndData }) => {
  const vector = cases.find(({ id }) => id === 'v0.9/31337/10')!;
  const op = withPaymasterAndData(operationOf(vector), paymasterAndData);
  expect(() => entryPoints['0.9'].hash(op, { chainId: 31_337, entryPoint: vector.entryPoint })).toThrow(/does not fit/);
});
