import { addressKey } from '../../shared/schema/hex.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { Authority } from '../../shared/schema/gas-schedule.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { authorizationGas } from '../gas-schedules/authorization.ts';
import { type ByteCounts, unpaidGas } from '../gas-schedules/call-data.ts';
import type { GasSchedule } from '../gas-schedules/gas-schedule.ts';
import { workGas } from '../gas-schedules/work.ts';
import { handleOpsCall } from './abi.ts';
import type { EntryPointGas } from './entry-point-gas.ts';
import { byteLength, digits, keccak, word, wordAligned } from './hex-digits.ts';

/** Gas that an EntryPoint spends on copying a word of calldata. Measured: 9.3. */
export const ENTRY_POINT_WORD_GAS = 10n;

/** Signature length of most accounts, in bytes. */
export const ECDSA_SIGNATURE_LENGTH = 65;
/** Placeholder for unknown gas values: three non-zero bytes, as most values have. */
const FILLER_GAS = 0xff_ff_ffn;
const FILLER_BENEFICIARY: Address = `0x${'ff'.repeat(20)}`;

/** What preVerificationGas depends on besides the operation. */
export interface BundleQuestion {
  readonly entryPoint: Pick<EntryPointGas, 'unmetered'>;
  readonly schedule: GasSchedule;
  /** The state of the sender's account before its EIP-7702 authorisation takes effect; if unknown, it does not exist yet. */
  readonly authority?: Authority | undefined;
}

/**
 * preVerificationGas of an operation: what its bundler pays, in a bundle of only this operation, beyond what the
 * EntryPoint meters, plus 10 %. What a layer 2 charges for layer 1 data is not included.
 *
 *     1.1 * (transaction + max(callData + authorisation + unmetered, floor of callData - executionGas))
 *
 * The floor replaces the authorisation and all execution gas, so what the EntryPoint meters (and charges) counts
 * against it. Only operations that are mostly calldata pay more because of the floor.
 *
 * @param question the EntryPoint, the gas schedule, and the account of an authorisation
 * @param op with its final paymaster fields; its signature counts as at least 65 bytes
 * @param executionGas the gas that the EntryPoint will meter
 */
export const preVerificationGas = (question: BundleQuestion, op: UserOperation, executionGas: bigint): bigint => {
  const { entryPoint, schedule, authority } = question;
  const callData = bundleCallData(op);
  const words = BigInt(wordAligned(byteLength(callData)) / 32);
  const unmetered =
    authorizationGas(schedule, op, authority) + workGas(schedule, entryPoint.unmetered) + words * ENTRY_POINT_WORD_GAS;
  const unpaid = unpaidGas(schedule, countBytes(callData), { unmetered, metered: executionGas });
  return ((schedule.transaction + unpaid) * 11n) / 10n;
};

/** Calldata of `handleOps` with only this operation, at its final length and with as few zero bytes as possible. */
export const bundleCallData = (op: UserOperation): Hex =>
  handleOpsCall(
    {
      ...op,
      sender: addressKey(op.sender),
      callGasLimit: FILLER_GAS,
      verificationGasLimit: FILLER_GAS,
      preVerificationGas: FILLER_GAS,
      signature: fillerBytes(Math.max(ECDSA_SIGNATURE_LENGTH, byteLength(op.signature))),
    },
    FILLER_BENEFICIARY,
  );

/** Bytes that compress as badly as a signature, none of them zero. */
export const fillerBytes = (length: number): Hex => {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, block) => digits(keccak(word(block))));
  return `0x${blocks
    .join('')
    .slice(0, 2 * length)
    .replaceAll(/(?<=^(?:..)*)00/g, 'ff')}`;
};

export const countBytes = (data: Hex): ByteCounts => {
  let zeros = 0;
  for (let at = 2; at < data.length; at += 2) {
    if (data[at] === '0' && data[at + 1] === '0') zeros += 1;
  }
  return { zero: BigInt(zeros), other: BigInt(byteLength(data) - zeros) };
};
