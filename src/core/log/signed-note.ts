import { concat, decodeBase64, encodeBase64, getBytes, hexlify, toUtf8Bytes } from 'ethers';
import type { Sha256 } from './merkle-tree.ts';

/** The functions with which a log is verified, as provided by the platform. */
export interface LogCrypto {
  readonly sha256: Sha256;
  /** Whether an Ed25519 signature (64 bytes, RFC 8032) is by the public key (32 bytes). */
  readonly verifyEd25519: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
}

/** A name and the Ed25519 public key that signs under it. */
export interface VerifierKey {
  readonly name: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** A note whose signature was verified, or why it cannot be trusted. */
export type OpenedNote = { readonly text: string } | { readonly error: string };

/** The signature type of Ed25519 in key ids and verifier keys. */
const ED25519 = 1;
const KEY_BYTES = 32;
const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;

const typedKey = ({ publicKey }: VerifierKey): Uint8Array => getBytes(concat([new Uint8Array([ED25519]), publicKey]));

/** The first four bytes of SHA-256 of name, newline, signature type and public key (c2sp.org/signed-note). */
const keyId = (key: VerifierKey, sha256: Sha256): Uint8Array =>
  sha256(getBytes(concat([toUtf8Bytes(`${key.name}\n`), typedKey(key)]))).slice(0, ID_BYTES);

/** A public key in the text format for verifiers (a "vkey"): name, key id in hex, and base64 of type and key. */
export const verifierKeyText = (key: VerifierKey, sha256: Sha256): string =>
  `${key.name}+${hexlify(keyId(key, sha256)).slice(2)}+${encodeBase64(typedKey(key))}`;

const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/;

/** Parses such a text; undefined if it is malformed. */
export const parseVerifierKey = (text: string, sha256: Sha256): VerifierKey | undefined => {
  const [, name, id, encoded] = VERIFIER_KEY.exec(text.trim()) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  const bytes = bytesOf(encoded);
  if (bytes?.length !== KEY_BYTES + 1 || bytes[0] !== ED25519) return undefined;
  const key = { name, publicKey: bytes.slice(1) };
  return hexlify(keyId(key, sha256)) === `0x${id}` ? key : undefined;
};

/** The bytes of base64 (RFC 4648, 4) in its one canonical form; undefined if it is not canonical. */
export const bytesOf = (base64: string): Uint8Array | undefined => {
  try {
    const bytes = decodeBase64(base64);
    return encodeBase64(bytes) === base64 ? bytes : undefined;
  } catch {
    return undefined;
  }
};

/**
 * A signed note (c2sp.org/signed-note).
 * @param text ends with a newline
 * @param sign returns the Ed25519 signature of a message
 */
export const signedNote = (
  text: string,
  key: VerifierKey,
  sha256: Sha256,
  sign: (message: Uint8Array) => Uint8Array,
): string => {
  const signature = encodeBase64(concat([keyId(key, sha256), sign(toUtf8Bytes(text))]));
  return `${text}\n— ${key.name} ${signature}\n`;
};

/** Verifiers must accept 16 signatures. A much larger number could be an attempt to keep them busy. */
const MAX_SIGNATURES = 64;

const SIGNATURE_LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/;

const isBy = (line: string, key: VerifierKey, sha256: Sha256): Uint8Array | undefined => {
  const [, name, encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
  if (name !== key.name) return undefined;
  const bytes = bytesOf(encoded);
  if (bytes === undefined || bytes.length < ID_BYTES) return undefined;
  return hexlify(bytes.slice(0, ID_BYTES)) === hexlify(keyId(key, sha256)) ? bytes.slice(ID_BYTES) : undefined;
};

/** Verifies a signed note with one key. Ignores signatures by other keys. */
export const openNote = (note: string, key: VerifierKey, { sha256, verifyEd25519 }: LogCrypto): OpenedNote => {
  const separator = note.lastIndexOf('\n\n');
  if (separator < 0 || !note.endsWith('\n')) return { error: 'It is not a signed note' };
  const text = note.slice(0, separator + 1);
  const lines = note.slice(separator + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) return { error: `It has more than ${MAX_SIGNATURES} signatures` };
  if (!lines.every((line) => SIGNATURE_LINE.test(line))) return { error: 'A signature line is malformed' };
  const signatures = lines.map((line) => isBy(line, key, sha256)).filter((signature) => signature !== undefined);
  if (signatures.length === 0) return { error: `It is not signed by ${verifierKeyText(key, sha256)}` };
  const message = toUtf8Bytes(text);
  const isValid = signatures.every(
    (signature) => signature.length === SIGNATURE_BYTES && verifyEd25519(key.publicKey, message, signature),
  );
  return isValid ? { text } : { error: 'Its signature is wrong' };
};
