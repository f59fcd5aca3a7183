import { describe, expect, it } from 'vitest';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { entryPoint06 } from '../entry-points/0.6.ts';
import { gasSchedules } from '../gas-schedules/schedules.ts';
import { preVerificationGas } from './pre-verification.ts';

const op: UserOperationV06 = {
  sender: `0x${'11'.repeat(20)}`,
  nonce: 0n,
  initCode: '0x',
  callData: '0x',
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  paymasterAndData: '0x',
  signature: `0x${'22'.repeat(65)}`,
};
const withCallData = (byte: string, length: number): UserOperationV06 => ({
  ...op,
  callData: `0x${byte.repeat(length)}`,
});
/** Execution gas: none to count against the floor, or so much that the floor does not matter. */
const NOTHING = 0n;
const MUCH = 10_000_000n;

const prague = { entryPoint: entryPoint06, schedule: gasSchedules.prague };

describe('preVerificationGas', () => {
  it('of an operation by hand', () => {
    // Selector; offset of ops, beneficiary, length, offset of the op; its 11 words; four lengths; signature.
    const words = 4 + 11 + 4 + 3;
    // Non-zero: selector 4, beneficiary 20, three words of small values 1 each, sender 20, gas 3 * 3,
    // offsets of the four byte strings 2 each, signature length 1 and bytes 65.
    const nonZero = 4 + 20 + 3 + 20 + 9 + 8 + 1 + 65;
    const zero = 4 + words * 32 - nonZero;
    const calldata = 4 * zero + 16 * nonZero;
    const overhead = 19_500 + 10 * (words + 1);
    expect(preVerificationGas(prague, op, MUCH)).toBe(BigInt(Math.floor((21_000 + calldata + overhead) * 1.1)));
  });

  it('grows by 16 gas a byte and 10 %, so that a bundler gets back what calldata costs', () => {
    const grown = preVerificationGas(prague, withCallData('ab', 3200), MUCH) - preVerificationGas(prague, op, MUCH);
    const [calldata, length, copies] = [3200 * 16, 2 * 12, 100 * 10];
    expect(Number(grown)).toBeGreaterThanOrEqual((calldata + copies) * 1.1);
    expect(Number(grown)).toBeLessThanOrEqual((calldata + copies + 5 * length) * 1.1 + 1);
  });

  it('reaches the floor of EIP-7623 for an operation that is mostly calldata', () => {
    const tokens = 4 * 32_000;
    expect(preVerificationGas(prague, withCallData('ab', 32_000), NOTHING)).toBeGreaterThan(BigInt(11 * tokens));
  });

  it('does not take the floor from an operation that pays for its execution anyway', () => {
    const heavy = withCallData('ab', 32_000);
    const half = preVerificationGas(prague, heavy, 400_000n);
    expect(preVerificationGas(prague, heavy, NOTHING) - half).toBe(440_000n);
    expect(preVerificationGas(prague, heavy, MUCH)).toBeLessThan(half);
    expect(preVerificationGas(prague, heavy, MUCH)).toBe(preVerificationGas(prague, heavy, 2n * MUCH));
  });

  it('counts the real signature that comes in place of a short or zero dummy one', () => {
    const of = (signature: Hex): bigint => preVerificationGas(prague, { ...op, signature }, MUCH);
    expect(of('0x')).toBe(of(op.signature));
    expect(of(`0x${'00'.repeat(65)}`)).toBe(of(op.signature));
    expect(of(`0x${'00'.repeat(650)}`)).toBeGreaterThan(of(op.signature) + 585n * 16n);
  });

  it('does not depend on gas values that are yet to be found', () => {
    const known = { ...op, callGasLimit: 5n, verificationGasLimit: 1n << 100n, preVerificationGas: 7n };
    expect(preVerificationGas(prague, known, MUCH)).toBe(preVerificationGas(prague, op, MUCH));
  });
});
