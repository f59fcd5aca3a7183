import type { EntryPointVersion, UserOperation } from '../../shared/schema/user-operation.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import { withPaymasterAndData } from './paymaster-fields.ts';
import { byteLength, wordAligned } from './hex-digits.ts';
import {
  AUTHORIZATION_GAS,
  ECDSA_SIGNATURE_LENGTH,
  ENTRY_POINT_GAS,
  ENTRY_POINT_WORD_GAS,
  TOKEN_FLOOR_GAS,
  TOKEN_GAS,
  TRANSACTION_GAS,
  countTokens,
  fillerBytes,
} from './pre-verification.ts';

/** The length of `paymasterAndData` in the longest layout. */
const PAYMASTER_BYTES = 320;

/**
 * What `handleOps` with one operation takes besides the bytes below: 25 words of calldata, of which some 250 bytes are
 * not zero (selector, addresses, nonce, gas, fees, lengths), and the paymaster's data.
 */
const FRAME = { words: 25n + BigInt(PAYMASTER_BYTES / 32), tokens: 550n + 4n * (250n + BigInt(PAYMASTER_BYTES)) };

/**
 * Bytes of the signature that are paid for. Nothing binds the one in a request: it is a dummy, and the final one may be
 * far shorter. Passkeys take up to 1 KiB, and a Safe 65 bytes an owner. An account whose signatures are longer, such as
 * one that enables a session key by its signature, has the room of {@link USUAL_ROOM}: as much again.
 */
const MOST_SIGNATURE_BYTES = 2048;

/** Formulas of bundlers differ: they may ask for twice what a bundle of the operation alone costs by its calldata ... */
const USUAL_ROOM = { times: 2n, per: 1n };
/** ... and a quarter more than the floor of EIP-7623, which is high already where the operation's execution counts too. */
const FLOOR_ROOM = { times: 5n, per: 4n };
/** Prices on layer 1 move until the operation is mined. */
const L1_DATA_ROOM = 2n;

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const signatureBytes = (op: UserOperation): number =>
  Math.min(Math.max(byteLength(op.signature), ECDSA_SIGNATURE_LENGTH), MOST_SIGNATURE_BYTES);

/** The operation as its data is paid for on layer 1: with a paymaster's part, and with no more signature than counts. */
export const asBundled = (op: UserOperation): UserOperation => ({
  ...withPaymasterAndData(op, fillerBytes(PAYMASTER_BYTES)),
  signature: fillerBytes(signatureBytes(op)),
});

/**
 * The most preVerificationGas an operation may have. It goes to the bundler whatever the bundle costs, so it is what a
 * sender who bundles for themselves would raise: the bound leaves room for the formulas of other bundlers beside
 * {@link preVerificationGas}, and no more.
 *
 *     max(2 * usual, 5/4 * floor) + 2 * l1DataGas,
 *     usual = 21000 + authorisation + EntryPoint + 10 * words + 4 * tokens,
 *     floor = 21000 + authorisation + EntryPoint + 10 * tokens
 *
 * It is on the path of every decision, so it counts bytes instead of encoding the bundle.
 *
 * @param op its paymaster's part is not read
 * @param l1DataGas what a chain of layer 2 charges for the data, in gas; 0 where data is gas
 */
export const mostPreVerificationGas = (version: EntryPointVersion, op: UserOperation, l1DataGas: bigint): bigint => {
  const deployment = isV06(op) ? op.initCode : (op.factoryData ?? '0x');
  const signature = signatureBytes(op);
  const bytes = [byteLength(op.callData), byteLength(deployment), signature].map(wordAligned);
  const words = FRAME.words + BigInt(bytes.reduce((sum, length) => sum + length, 0) / 32);
  const tokens = FRAME.tokens + countTokens(op.callData) + countTokens(deployment) + 4n * BigInt(signature);
  const authorization = !isV06(op) && op.eip7702Auth !== undefined ? AUTHORIZATION_GAS : 0n;
  const fixed = TRANSACTION_GAS + authorization + ENTRY_POINT_GAS[version];
  const usual = fixed + words * ENTRY_POINT_WORD_GAS + tokens * TOKEN_GAS;
  const floor = fixed + tokens * TOKEN_FLOOR_GAS;
  const room = (gas: bigint, { times, per }: typeof USUAL_ROOM): bigint => (gas * times) / per;
  return max(room(usual, USUAL_ROOM), room(floor, FLOOR_ROOM)) + L1_DATA_ROOM * l1DataGas;
};
