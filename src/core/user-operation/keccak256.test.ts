import fc from 'fast-check';
import { expect, it } from 'vitest';
import { vectorCases } from '../../../test/support/vectors.ts';
import { keccak256, portableKeccak256, wasmKeccak256 } from './keccak256.ts';

it('the fast hash loads on this machine, so that the speed the README promises is the speed there is', () => {
  expect(wasmKeccak256).toBeDefined();
  expect(keccak256).toBe(wasmKeccak256);
});

it('an operation is hashed to the same bytes wherever the desk runs', () => {
  for (const { userOp } of [...vectorCases('userop-hash'), ...vectorCases('paymaster-layouts')]) {
    const bytes = Buffer.from(userOp.callData.slice(2), 'hex');
    expect(wasmKeccak256!(bytes)).toBe(portableKeccak256(bytes));
  }
  // Lengths just below and above keccak's block of 136 bytes and the 16 KiB that enter WebAssembly at a time.
  for (const length of [0, 1, 135, 136, 137, 272, 16_383, 16_384, 16_385, 50_000]) {
    const bytes = Buffer.alloc(length, length % 251);
    expect(wasmKeccak256!(bytes), `${length} bytes`).toBe(portableKeccak256(bytes));
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => wasmKeccak256!(bytes) === portableKeccak256(bytes)),
  );
});
