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
 * Size of a `handleOps` call with one sponsored operation, without the bytes that are counted separately: selector,
 * addresses, nonce, gas, fees, offsets, lengths and the paymaster's data. With the clients in docs/clients, it measured
 * 1,308 to 1,389 tokens in 22 words, and 1,632 tokens in 26 words if the user pays in a token. The bundler's allowed
 * gain covers the difference.
 */
const FRAME = { words: 22n, tokens: 1_400n };

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

/**
 * The gas cost of a bundle with only this operation that the EntryPoint does not meter and charge. Excludes layer 1
 * data. An honest preVerificationGas covers at least this amount.
 *
 * fixed + max(EntryPoint + 10 * words + 4 * tokens, 10 * tokens - metered),
 * fixed = 21000 + authorisation
 *
 * The signature counts as 65 bytes, because the dummy in a request can have any length. This runs for every decision,
 * so it counts bytes instead of encoding the bundle.
 *
 * @param op the operation, whose paymaster fields and signature are ignored
 * @param meteredGas the minimum gas that the EntryPoint meters; the EIP-7623 floor replaces all execution gas
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
