import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06, UserOperationV07 } from '../../shared/schema/user-operation.ts';
import { preVerificationGas } from './pre-verification.ts';
import { asBundled, mostPreVerificationGas } from './pre-verification-bound.ts';

const bytes = (length: number, byte = 'ff'): Hex => `0x${byte.repeat(length)}`;
const common = {
  sender: bytes(20, '11'),
  nonce: (1n << 256n) - 1n,
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: 10n ** 12n,
  maxPriorityFeePerGas: 10n ** 12n,
} as const;
const v06 = (callData: Hex, initCode: Hex, signature: Hex): UserOperationV06 => ({
  ...{ ...common, callData, initCode, signature },
  // The longest that any layout makes of it.
  paymasterAndData: bytes(320),
});
const v07 = (callData: Hex, factoryData: Hex, signature: Hex): UserOperationV07 => ({
  ...{ ...common, callData, signature, factoryData },
  factory: bytes(20),
  paymaster: bytes(20),
  paymasterVerificationGasLimit: 60_000n,
  paymasterPostOpGasLimit: 60_000n,
  paymasterData: bytes(268),
});
const data = fc
  .uint8Array({ maxLength: 20_000, size: 'max' })
  .map((all): Hex => `0x${Buffer.from(all).toString('hex')}`);
const signature = fc.nat({ max: 2048 }).map((length) => bytes(length));

test('nobody is denied for what the desk itself estimates, or for a tenth more', () => {
  fc.assert(
    fc.property(data, data, signature, (callData, deployment, dummy) => {
      for (const [version, op] of [
        ['0.6', v06(callData, deployment, dummy)],
        ['0.7', v07(callData, deployment, dummy)],
        ['0.8', v07(callData, deployment, dummy)],
      ] as const) {
        const most = mostPreVerificationGas(version, op, 0n);
        expect(most).toBeGreaterThan((preVerificationGas(version, op, 0n) * 11n) / 10n);
      }
    }),
    { numRuns: 50 },
  );
});

test('a small operation may have what bundlers ask for, by whatever formula, and hardly twice what it costs', () => {
  const op = v06(bytes(132, '01'), '0x', bytes(65));
  const most = mostPreVerificationGas('0.6', op, 0n);
  // The example of Biconomy's documents.
  expect(most).toBeGreaterThan(75_388n);
  expect(most).toBeLessThan((preVerificationGas('0.6', op, 1_000_000n) * 22n) / 10n);
});

test('bytes that are zero buy no more than bytes that are zero cost', () => {
  const grown = mostPreVerificationGas('0.6', v06(bytes(32_000, '00'), '0x', '0x'), 0n);
  const empty = mostPreVerificationGas('0.6', v06('0x', '0x', '0x'), 0n);
  expect(grown - empty).toBeLessThanOrEqual((32_000n * 10n * 5n) / 4n);
});

test('a dummy signature buys 2 KiB at most, however long it is, on chains of layer 2, too', () => {
  const most = (length: number): bigint => mostPreVerificationGas('0.6', v06('0x', '0x', bytes(length)), 0n);
  expect(most(65)).toBe(most(0));
  expect(most(2048)).toBeGreaterThan(most(65));
  expect(most(500_000)).toBe(most(2048));
  const paid = [0, 65, 2048, 500_000].map((length) => asBundled(v06('0x', '0x', bytes(length))));
  expect(paid.map((op) => op.signature.length / 2 - 1)).toEqual([65, 65, 2048, 2048]);
});

test('the data fee of a layer 2 may double until the operation is mined', () => {
  const op = v06('0x', '0x', bytes(65));
  expect(mostPreVerificationGas('0.6', op, 1_000n) - mostPreVerificationGas('0.6', op, 0n)).toBe(2_000n);
});
