import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { EntryPointGas } from './entry-point-gas.ts';
import { withPaymasterAndData } from './paymaster-fields.ts';
import { byteLength, wordAligned } from './hex-digits.ts';
import {
  AUTHORIZATION_GAS,
  ECDSA_SIGNATURE_LENGTH,
  ENTRY_POINT_WORD_GAS,
  TOKEN_FLOOR_GAS,
  TOKEN_GAS,
  TRANSACTION_GAS,
  countTokens,
  fillerBytes,
} from './pre-verification.ts';

/**
 * Data of `handleOps` with one sponsored operation besides the bytes below: selector, addresses, nonce, gas, fees,
 * offsets, lengths and the paymaster's data. Measured with the clients of docs/clients: 1,308 to 1,389 tokens in 22
 * words. Token payments take 1,632 in 26; the share that a bundler may gain covers the rest.
 */
const FRAME = { words: 22n, tokens: 1_400n };

/** `paymasterAndData` in the longest layout. */
const PAYMASTER_BYTES = 288;

/**
 * Bytes of the signature that count as data on layer 1. Nothing enforces the length of the one in a request: it is a
 * dummy, and the final one may be far shorter. Passkeys take up to 1 KiB, and a Safe 65 bytes per owner.
 */
const MAX_SIGNATURE_BYTES = 2048;

/**
 * The operation whose data is paid for on layer 1: with a paymaster's part, and with only the part of the signature
 * that counts.
 */
export const asBundled = (op: UserOperation): UserOperation => ({
  ...withPaymasterAndData(op, fillerBytes(PAYMASTER_BYTES)),
  signature: fillerBytes(Math.min(Math.max(byteLength(op.signature), ECDSA_SIGNATURE_LENGTH), MAX_SIGNATURE_BYTES)),
});

/**
 * What a bundle of the operation alone costs beyond what the EntryPoint meters and charges, in gas, without data on
 * layer 1: the least that is in an honest preVerificationGas.
 *
 *     fixed + max(EntryPoint + 10 * words + 4 * tokens, 10 * tokens - metered),
 *     fixed = 21000 + authorisation
 *
 * The signature counts with 65 bytes: the one in a request is a dummy of any length, which its sender need not send.
 * It is on the path of every decision, so it counts bytes instead of encoding the bundle.
 *
 * @param op its paymaster's part and its signature are not read
 * @param meteredGas the least that the EntryPoint meters: the floor of EIP-7623 takes the place of all execution
 */
export const bundleGas = (
  entryPoint: Pick<EntryPointGas, 'unmeteredGas'>,
  op: UserOperation,
  meteredGas: bigint,
): bigint => {
  const deployment = isV06(op) ? op.initCode : (op.factoryData ?? '0x');
  const bytes = [byteLength(op.callData), byteLength(deployment), ECDSA_SIGNATURE_LENGTH].map(wordAligned);
  const words = FRAME.words + BigInt(bytes.reduce((sum, length) => sum + length, 0) / 32);
  const tokens =
    FRAME.tokens + countTokens(op.callData) + countTokens(deployment) + 4n * BigInt(ECDSA_SIGNATURE_LENGTH);
  const authorization = !isV06(op) && op.eip7702Auth !== undefined ? AUTHORIZATION_GAS : 0n;
  const usual = entryPoint.unmeteredGas + words * ENTRY_POINT_WORD_GAS + tokens * TOKEN_GAS;
  const floor = tokens * TOKEN_FLOOR_GAS - meteredGas;
  return TRANSACTION_GAS + authorization + (usual > floor ? usual : floor);
};
