import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Hex } from '../../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../../shared/schema/user-operation.ts';
import { preVerificationGas } from './pre-verification.ts';
import { mostPreVerificationGas } from './pre-verification-bound.ts';

const [LOCAL, BASE, UNKNOWN] = [31337, 8453, 987_654];
const bytes = (length: number): Hex => `0x${'ff'.repeat(length)}`;
const operation = (callData: number, initCode: number, signature: number): UserOperationV06 => ({
  sender: `0x${'11'.repeat(20)}`,
  nonce: 1n,
  initCode: bytes(initCode),
  callData: bytes(callData),
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  // The longest that any layout makes of it.
  paymasterAndData: bytes(500),
  signature: bytes(signature),
});
const length = fc.nat({ max: 20_000 });

test('nobody is denied for what the desk itself estimates, whatever there is of calldata', () => {
  fc.assert(
    fc.property(length, length, length, (callData, initCode, signature) => {
      const op = operation(callData, initCode, signature);
      expect(mostPreVerificationGas(op, LOCAL)).toBeGreaterThan(preVerificationGas('0.6', op, 0n));
    }),
    { numRuns: 50 },
  );
});

test('what a layer 2 asks for its data has room there, and where nobody knows what the chain asks', () => {
  const op = operation(100, 0, 65);
  const layerOne = mostPreVerificationGas(op, LOCAL);
  expect([BASE, UNKNOWN].map((chainId) => mostPreVerificationGas(op, chainId))).toEqual([
    layerOne * 100n,
    layerOne * 100n,
  ]);
});
