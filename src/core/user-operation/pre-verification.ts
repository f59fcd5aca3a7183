import { addressKey } from '../../shared/schema/hex.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { handleOpsCall } from './abi.ts';
import type { EntryPointGas } from './entry-point-gas.ts';
import { byteLength, digits, keccak, word, wordAligned } from './hex-digits.ts';

/** What every transaction costs, before its calldata (Yellow Paper, G_transaction). */
export const TRANSACTION_GAS = 21_000n;
/** Gas per calldata token of EIP-7623: the usual price (EIP-2028: 4 for a zero byte, 16 for another) ... */
export const TOKEN_GAS = 4n;
/** ... and the floor: the least that a transaction pays, in place of usual price and execution. */
export const TOKEN_FLOOR_GAS = 10n;

/** What a transaction pays for each authorisation (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
export const AUTHORIZATION_GAS = 25_000n;

/** What an EntryPoint spends per word of calldata, which it copies. Measured: 9.3. */
export const ENTRY_POINT_WORD_GAS = 10n;

/** Bytes of the signature of most accounts. */
export const ECDSA_SIGNATURE_LENGTH = 65;
/** Placeholder for unknown gas values: three bytes, none zero, as in most. */
const FILLER_GAS = 0xff_ff_ffn;
const FILLER_BENEFICIARY: Address = `0x${'ff'.repeat(20)}`;

/**
 * preVerificationGas of an operation: what its bundler pays for it beyond what the EntryPoint meters, in a bundle of
 * its own, and 10 % over. On a chain without EIP-7623 the floor is only too careful; what a layer 2 charges for its
 * data on layer 1 comes on top.
 *
 *     1.1 * (21000 + authorisation + max(4 * tokens + overhead, 10 * tokens - executionGas)),
 *     tokens = zero bytes + 4 * other bytes
 *
 * The floor takes the place of all execution, so what the EntryPoint meters (and charges) counts against it: only
 * operations that are mostly calldata pay more for it.
 *
 * @param op with the paymaster's part as in the final operation; its signature is counted by its length, at least 65
 * @param executionGas what the EntryPoint will meter, in gas
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

/** `handleOps` with the operation alone, at its final length and with the fewest zero bytes it may have. */
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

/** Bytes that compress like a signature's, none zero. */
export const fillerBytes = (length: number): Hex => {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, block) => digits(keccak(word(block))));
  return `0x${blocks
    .join('')
    .slice(0, 2 * length)
    .replaceAll(/(?<=^(?:..)*)00/g, 'ff')}`;
};

/** Calldata tokens of EIP-7623: one for a zero byte, four for another. */
export const countTokens = (data: Hex): bigint => {
  let zeros = 0;
  for (let at = 2; at < data.length; at += 2) {
    if (data[at] === '0' && data[at + 1] === '0') zeros += 1;
  }
  return BigInt(zeros + 4 * (byteLength(data) - zeros));
};
