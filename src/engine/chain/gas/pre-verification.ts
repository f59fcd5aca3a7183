import { Interface } from 'ethers';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../../shared/schema/user-operation.ts';
import { USER_OPERATION_V06_ABI } from '../../user-operation/abi.ts';
import { byteLength, digits, wordAligned } from '../../user-operation/hex-digits.ts';

const abi = new Interface([`function handleOps(${USER_OPERATION_V06_ABI}[] ops, address beneficiary)`]);

/** What every transaction costs, before its calldata (Yellow Paper, G_transaction). */
const TRANSACTION_GAS = 21_000n;
/** Gas per calldata token of EIP-7623: the usual price (EIP-2028: 4 for a zero byte, 16 for another) ... */
const TOKEN_GAS = 4n;
/** ... and the floor: what a transaction pays at least, in place of usual price and execution. */
const TOKEN_FLOOR_GAS = 10n;

/**
 * What EntryPoint v0.6 spends on a bundle of one operation without metering it: the loops, the guard against
 * reentrancy, the events, the refund and the payment of the beneficiary; and per word of calldata, which it copies.
 * Measured with `handleOps` of the canonical build: 19,300 and 9.3.
 */
const ENTRY_POINT_GAS = 19_500n;
const ENTRY_POINT_WORD_GAS = 10n;

const ECDSA_SIGNATURE_LENGTH = 65;
/** Stands for the gas values that are not known yet: three bytes, none zero, as most will be. */
const FILLER_GAS = 0xff_ff_ffn;
const FILLER_BENEFICIARY: Address = `0x${'ff'.repeat(20)}`;

/**
 * preVerificationGas of a v0.6 operation: what its bundler pays for it beyond what the EntryPoint meters, in a bundle
 * of its own, and 10 % over. On a chain without EIP-7623 the floor is only too careful.
 *
 *     1.1 * (21000 + max(4 * tokens + overhead, 10 * tokens - executionGas)),  tokens = zero bytes + 4 * other bytes
 *
 * The floor takes the place of all execution, so what the EntryPoint meters (and charges) counts against it: only
 * operations that are mostly calldata pay more for it.
 *
 * @param op with `paymasterAndData` as in the final operation; its signature is counted by its length, at least 65
 * @param executionGas what the EntryPoint will meter, in gas
 */
export const preVerificationGas = (op: UserOperationV06, executionGas: bigint): bigint => {
  const callData = bundleCallData(op);
  const tokens = countTokens(callData);
  const words = BigInt(wordAligned(byteLength(callData)) / 32);
  const usual = tokens * TOKEN_GAS + ENTRY_POINT_GAS + words * ENTRY_POINT_WORD_GAS;
  const floor = tokens * TOKEN_FLOOR_GAS - executionGas;
  return ((TRANSACTION_GAS + (usual > floor ? usual : floor)) * 11n) / 10n;
};

/** `handleOps` with the operation alone, as long as it will be and with the fewest zero bytes it may have. */
const bundleCallData = (op: UserOperationV06): Hex => {
  const filled: UserOperationV06 = {
    ...op,
    sender: addressKey(op.sender),
    callGasLimit: FILLER_GAS,
    verificationGasLimit: FILLER_GAS,
    preVerificationGas: FILLER_GAS,
    signature: `0x${'ff'.repeat(Math.max(ECDSA_SIGNATURE_LENGTH, byteLength(op.signature)))}`,
  };
  return abi.encodeFunctionData('handleOps', [[filled], FILLER_BENEFICIARY]) as Hex;
};

const countTokens = (data: Hex): bigint => {
  const bytes = Buffer.from(digits(data), 'hex');
  const zeros = bytes.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
  return BigInt(zeros + 4 * (bytes.length - zeros));
};
