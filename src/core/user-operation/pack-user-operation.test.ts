import { describe, expect, it } from 'vitest';
import { operationV07, packedOperation, vectorCases } from '../../../test/support/vectors.ts';
import type { UserOperationV07 } from '../../shared/schema/user-operation.ts';
import { packUserOperation } from './pack-user-operation.ts';

const packedCases = [...vectorCases('userop-hash'), ...vectorCases('gas')].filter(
  (vector) => vector.packedUserOp !== undefined,
);

const op: UserOperationV07 = {
  sender: `0x${'11'.repeat(20)}`,
  nonce: 0n,
  callData: '0x',
  callGasLimit: 1n,
  verificationGasLimit: 1n,
  preVerificationGas: 1n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  signature: '0x',
};

describe('packUserOperation', () => {
  it.each(packedCases)('sends the contracts the operation that was decided on: $id, $description', (vector) => {
    expect(packUserOperation(operationV07(vector))).toEqual(packedOperation(vector));
  });

  it.each(['callGasLimit', 'verificationGasLimit', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const)(
    'never lets a too large %s spill into its neighbour',
    (field) => {
      expect(() => packUserOperation({ ...op, [field]: 1n << 128n })).toThrow(RangeError);
    },
  );

  it('gives a paymaster without data or limits its head of 52 bytes', () => {
    const packed = packUserOperation({ ...op, paymaster: `0x${'Ab'.repeat(20)}` });
    expect(packed.paymasterAndData).toBe(`0x${'ab'.repeat(20)}${'00'.repeat(32)}`);
  });
});
