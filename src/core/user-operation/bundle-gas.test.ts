import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06, UserOperationV07 } from '../../shared/schema/user-operation.ts';
import { allEntryPoints, entryPoints } from '../entry-points/registry.ts';
import { gasSchedules } from '../gas-schedules/schedules.ts';
import { asBundled, bundleGas } from './bundle-gas.ts';
import { preVerificationGas } from './pre-verification.ts';

const schedule = gasSchedules.prague;
const bytes = (length: number, byte = 'ff'): Hex => `0x${byte.repeat(length)}`;
const common = {
  sender: bytes(20, '11'),
  nonce: 5n,
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: 10n ** 12n,
  maxPriorityFeePerGas: 10n ** 12n,
} as const;
const v06 = (callData: Hex, initCode: Hex, signature: Hex = bytes(65)): UserOperationV06 => ({
  ...common,
  callData,
  initCode,
  signature,
  paymasterAndData: bytes(98),
});
const v07 = (callData: Hex, factoryData: Hex): UserOperationV07 => ({
  ...common,
  callData,
  signature: bytes(65),
  factoryData,
  factory: bytes(20),
  paymaster: bytes(20),
  paymasterVerificationGasLimit: 60_000n,
  paymasterPostOpGasLimit: 0n,
  paymasterData: bytes(78),
});
const data = fc
  .uint8Array({ maxLength: 20_000, size: 'max' })
  .map((all): Hex => `0x${Buffer.from(all).toString('hex')}`);

test('what the desk estimates is a tenth more than what a bundle costs, and hardly more', () => {
  fc.assert(
    fc.property(data, data, fc.bigInt({ min: 0n, max: 1_000_000n }), (callData, deployment, metered) => {
      for (const entryPoint of allEntryPoints) {
        const op = entryPoint.isPacked ? v07(callData, deployment) : v06(callData, deployment);
        const estimated = preVerificationGas({ entryPoint, schedule }, op, metered);
        const cost = bundleGas({ entryPoint, schedule }, op, metered);
        expect(estimated).toBeGreaterThan(cost);
        expect(estimated).toBeLessThan((cost * 114n) / 100n);
      }
    }),
    { numRuns: 20 },
  );
});

test('bytes that are zero buy no more than bytes that are zero cost', () => {
  const grown = bundleGas({ entryPoint: entryPoints['0.6'], schedule }, v06(bytes(32_000, '00'), '0x'), 0n);
  expect(grown - bundleGas({ entryPoint: entryPoints['0.6'], schedule }, v06('0x', '0x'), 0n)).toBeLessThanOrEqual(
    32_000n * 10n,
  );
});

test('a dummy signature buys no gas, however long it is, and 2 KiB of data on layer 1', () => {
  const costs = [0, 65, 2048, 500_000].map((length) =>
    bundleGas({ entryPoint: entryPoints['0.6'], schedule }, v06('0x', '0x', bytes(length)), 0n),
  );
  expect(new Set(costs).size).toBe(1);
  const paid = [0, 65, 2048, 500_000].map((length) => asBundled(v06('0x', '0x', bytes(length))));
  expect(paid.map((op) => op.signature.length / 2 - 1)).toEqual([65, 65, 2048, 2048]);
});

test('an authorisation is paid for', () => {
  const eip7702Auth = { chainId: 1n, address: bytes(20), nonce: 0n, yParity: 0n, r: bytes(32), s: bytes(32) };
  const op = v07('0x', '0x');
  expect(
    bundleGas({ entryPoint: entryPoints['0.7'], schedule }, { ...op, eip7702Auth }, 0n) -
      bundleGas({ entryPoint: entryPoints['0.7'], schedule }, op, 0n),
  ).toBe(25_000n);
});
