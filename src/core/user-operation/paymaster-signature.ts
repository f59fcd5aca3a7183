import type { Hex } from '../../shared/schema/hex.ts';
import { byteLength, digits, toHex, uintDigits } from './hex-digits.ts';

/*
 * From EntryPoint v0.9 on, `paymasterAndData` may end in a suffix: signature || uint16 length || magic bytes. The
 * operation's hash covers the magic bytes, but neither the signature nor its length. So account and paymaster can sign
 * at the same time (UserOperationLib.sol of eth-infinitism/account-abstraction).
 */

/** The first eight bytes of keccak256("PaymasterSignature"). */
export const SUFFIX_MAGIC = '22e325a297439656';

/** Number of bytes in a suffix besides the signature: its length and the magic bytes. */
const FRAME_LENGTH = 10;

/** Number of bytes in `paymasterAndData` before its data: the paymaster's address and its two gas limits. */
const HEAD_LENGTH = 52;

/** True for bytes that end in the magic bytes, whatever precedes them. */
export const endsInMagic = (bytes: Hex): boolean => bytes.toLowerCase().endsWith(SUFFIX_MAGIC);

/** `signature` as a suffix, in hex digits. Nothing for an empty signature, as in the EntryPoint's own library. */
export const signatureSuffix = (signature: string): string =>
  signature === '' ? '' : signature + uintDigits(signature.length / 2, 2) + SUFFIX_MAGIC;

/** A `paymasterAndData` or `paymasterData`, split at its suffix. */
export interface SuffixedData {
  readonly signed: Hex;
  /** Empty if the bytes have no suffix. */
  readonly signature: Hex;
}

/**
 * Splits bytes that may end in a suffix. A length of 0 makes no suffix: such bytes are signed as they are.
 *
 * @param headLength bytes at the start that cannot be part of a signature
 * @throws RangeError if the length reaches into the head: the EntryPoint reverts (InvalidPaymasterSignatureLength)
 */
export const splitSuffix = (bytes: Hex, headLength = 0): SuffixedData => {
  const room = byteLength(bytes) - headLength - FRAME_LENGTH;
  if (room < 0 || !endsInMagic(bytes)) return { signed: bytes, signature: '0x' };
  const text = digits(bytes);
  const end = text.length - 2 * FRAME_LENGTH;
  const length = Number.parseInt(text.slice(end, end + 4), 16);
  if (length === 0) return { signed: bytes, signature: '0x' };
  if (length > room) throw new RangeError(`a paymaster signature of ${length} bytes does not fit: ${room} are there`);
  const start = end - 2 * length;
  return { signed: toHex(text.slice(0, start)), signature: toHex(text.slice(start, end)) };
};

/** The bytes of `paymasterAndData` that EntryPoint v0.9 hashes. @throws RangeError as {@link splitSuffix} */
export const hashedPaymasterAndData = (paymasterAndData: Hex): Hex => {
  const { signed, signature } = splitSuffix(paymasterAndData, HEAD_LENGTH);
  return signature === '0x' ? paymasterAndData : toHex(digits(signed), SUFFIX_MAGIC);
};
