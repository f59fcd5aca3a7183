import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import { authorizationGas } from '../gas-schedules/authorization.ts';
import { type ByteCounts, unpaidGas } from '../gas-schedules/call-data.ts';
import { workGas } from '../gas-schedules/work.ts';
import { withPaymasterAndData } from './paymaster-fields.ts';
import { byteLength, wordAligned } from './hex-digits.ts';
import {
  type BundleQuestion,
  ECDSA_SIGNATURE_LENGTH,
  ENTRY_POINT_WORD_GAS,
  countBytes,
  fillerBytes,
} from './pre-verification.ts';

/**
 * Size of a `handleOps` call with one sponsored operation, without the bytes that are counted separately: selector,
 * addresses, nonce, gas, fees, offsets, lengths and the paymaster's data. With the clients in docs/clients, it measured
 * 22 words with at most 228 bytes that are not zero, and 26 words if the user pays in a token. The bundler's allowed
 * gain covers the difference.
 */
const FRAME = { words: 22n, zero: 476n, other: 231n };

/** Length of `paymasterAndData` in the longest layout. */
const PAYMASTER_BYTES = 288;

/**
 * The maximum number of signature bytes that count as layer 1 data. The signature in a request is a dummy of any
 * length; the final signature may be far shorter. Passkey signatures take up to 1 KiB, and a Safe takes 65 bytes per
 * owner.
 */
const MAX_SIGNATURE_BYTES = 2048;

/**
 * The operation for estimating its layer 1 data: with a paymaster part, and with a signature between 65 bytes and the
 * limit above.
 */
export const asBundled = (op: UserOperation): UserOperation => ({
  ...withPaymasterAndData(op, fillerBytes(PAYMASTER_BYTES)),
  signature: fillerBytes(Math.min(Math.max(byteLength(op.signature), ECDSA_SIGNATURE_LENGTH), MAX_SIGNATURE_BYTES)),
});

/** The low half of a nonce counts the operations of its key, the high part (EIP-4337). */
const SEQUENCE = (1n << 64n) - 1n;

/** True for the first operation of a nonce key, for which the EntryPoint fills a storage slot. */
export const isFirstOfKey = ({ nonce }: UserOperation): boolean => (nonce & SEQUENCE) === 0n;

/** The data that creates the account, as the EntryPoint gets it; `0x` if it exists. */
const initCodeOf = (op: UserOperation): Hex => {
  if (isV06(op)) return op.initCode;
  return op.factory === undefined ? '0x' : `${op.factory}${(op.factoryData ?? '0x').slice(2)}`;
};

/**
 * The gas cost of a bundle with only this operation that the EntryPoint does not meter and charge. Excludes layer 1
 * data. An honest preVerificationGas covers at least this amount.
 *
 *     transaction + max(callData + authorisation + EntryPoint + 10 * words, floor of callData - metered)
 *
 * The signature counts as 65 bytes, because the dummy in a request can have any length. This runs for every decision,
 * so it counts bytes instead of encoding the bundle.
 *
 * @param question the EntryPoint, the gas schedule, and the account of an authorisation
 * @param op its paymaster fields and its signature are ignored
 * @param meteredGas the least gas that the EntryPoint meters, for an account whose nonce was used before
 */
export const bundleGas = (question: BundleQuestion, op: UserOperation, meteredGas: bigint): bigint => {
  const { entryPoint, schedule, authority } = question;
  const parts = [op.callData, initCodeOf(op)];
  const lengths = [...parts.map(byteLength), ECDSA_SIGNATURE_LENGTH];
  const aligned = lengths.map(wordAligned);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const padding = BigInt(sum(aligned) - sum(lengths));
  const [callData, initCode] = parts.map(countBytes) as [ByteCounts, ByteCounts];
  const bytes = {
    zero: FRAME.zero + callData.zero + initCode.zero + padding,
    other: FRAME.other + callData.other + initCode.other + BigInt(ECDSA_SIGNATURE_LENGTH),
  };
  const words = FRAME.words + BigInt(sum(aligned) / 32);
  const unmetered =
    authorizationGas(schedule, op, authority) + workGas(schedule, entryPoint.unmetered) + words * ENTRY_POINT_WORD_GAS;
  const metered = meteredGas + (isFirstOfKey(op) ? schedule.newSlot : 0n);
  return schedule.transaction + unpaidGas(schedule, bytes, { unmetered, metered });
};
