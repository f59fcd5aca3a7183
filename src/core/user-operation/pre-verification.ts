import { addressKey } from '../../shared/schema/hex.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { handleOpsCall } from './abi.ts';
import type { EntryPointGas } from './entry-point-gas.ts';
import { byteLength, digits, keccak, word, wordAligned } from './hex-digits.ts';

/** Base cost of every transaction, without its calldata (Yellow Paper, G_transaction). */
export const TRANSACTION_GAS = 21_000n;
/**
 * Usual gas per calldata token of EIP-7623. A zero byte is one token and any other byte four, so they cost 4 and 16 gas
 * (EIP-2028).
 */
export const TOKEN_GAS = 4n;
/**
 * Floor price per calldata token of EIP-7623. If the total at this price is higher, it replaces the usual price plus
 * execution gas.
 */
export const TOKEN_FLOOR_GAS = 10n;

/** What a transaction pays for each EIP-7702 authorisation (PER_EMPTY_ACCOUNT_COST). */
export const AUTHORIZATION_GAS = 25_000n;

/** Gas that an EntryPoint spends on copying a word of calldata. Measured: 9.3. */
export const ENTRY_POINT_WORD_GAS = 10n;

/** Signature length of most accounts, in bytes. */
export const ECDSA_SIGNATURE_LENGTH = 65;
/** Placeholder for unknown gas values: three non-zero bytes, as most values have. */
const FILLER_GAS = 0xff_ff_ffn;
const FILLER_BENEFICIARY: Address = `0x${'ff'.repeat(20)}`;

/**
 * preVerificationGas of an operation: the gas that its bundler pays for a bundle with only this operation and that the
 * EntryPoint does not meter, plus 10 %. On a chain without EIP-7623, the floor makes the result higher than necessary.
 * Excludes the charge of a layer 2 for layer 1 data.
 *
 * 1.1 * (21000 + authorisation + max(4 * tokens + overhead, 10 * tokens - executionGas)),
 * tokens = zero bytes + 4 * other bytes
 *
 * The floor replaces all execution gas, so the gas that the EntryPoint meters (and charges) is subtracted from it. Only
 * operations that are mostly calldata pay more because of the floor.
 *
 * @param op with its final paymaster fields; its signature counts as at least 65 bytes
 * @param executionGas the gas that the EntryPoint will meter
 */
export const preVerificationGas = (
  entryPoint: Pick<EntryPointGas, 'unmeteredGas'>,
  op: UserOperation,
  executionGas: bigint,
): bigint => {
  const callData = bundleCallData(op);
  const tokens = countTokens(callData);
  const words = BigInt(wordAligned(byteLength(callData)) / 32);
  const usual = tokens * TOKEN_GAS + entryPoint.unmeteredGas + words * ENTRY_POINT_WORD_GAS;
  const floor = tokens * TOKEN_FLOOR_GAS - executionGas;
  const authorization = !isV06(op) && op.eip7702Auth !== undefined ? AUTHORIZATION_GAS : 0n;
  return ((TRANSACTION_GAS + authorization + (usual > floor ? usual : floor)) * 11n) / 10n;
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

/** Calldata tokens of EIP-7623: one for a zero byte, four for any other byte. */
export const countTokens = (data: Hex): bigint => {
  let zeros = 0;
  for (let at = 2; at < data.length; at += 2) {
    if (data[at] === '0' && data[at + 1] === '0') zeros += 1;
  }
  return BigInt(zeros + 4 * (byteLength(data) - zeros));
};
