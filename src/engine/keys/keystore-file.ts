import { createCipheriv, createDecipheriv, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { computeAddress } from 'ethers';
import { z } from 'zod';
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Entropy } from '../base/clock.ts';
import { type ScryptCost, scryptKey } from '../signer/scrypt-key.ts';
import { keccak256 } from '../../core/user-operation/keccak256.ts';

/*
 * Web3 Secret Storage, version 3, as geth, Clef and ethers write it. The implementation in ethers derives keys on the
 * event loop, which would delay every decision; this one uses another thread.
 */

const CIPHER = 'aes-128-ctr';
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const IV_BYTES = 16;
/**
 * Limits the cost of opening a file of unknown origin: 1 GiB of memory and a few seconds. geth's own files take a
 * quarter of that.
 */
const MAX_SCRYPT = 2 ** 23;
const MAX_PBKDF2 = 10_000_000;

const bytes = z
  .string()
  .regex(/^(?:0x)?(?:[0-9a-f]{2})*$/i, 'must be hex')
  .transform((text) => Buffer.from(text.replace(/^0x/i, ''), 'hex'));
const exactly = (length: number) => bytes.refine((value) => value.length === length, `must have ${length} bytes`);
const positive = z.int().min(1);

const common = { cipher: z.literal(CIPHER), cipherparams: z.looseObject({ iv: exactly(IV_BYTES) }) };
const sealed = { ...common, ciphertext: exactly(KEY_BYTES), mac: exactly(32) };
const derived = { dklen: z.literal(KEY_BYTES), salt: bytes };
const scryptParams = z
  .looseObject({ ...derived, n: positive, r: positive, p: positive })
  .refine(({ n }) => n > 1 && Number.isInteger(Math.log2(n)), 'n must be a power of two')
  // scrypt is not defined for a larger n (RFC 7914).
  .refine(({ n, r }) => Math.log2(n) < 16 * r, 'n is too large for this r')
  .refine(({ n, r, p }) => n * r * p <= MAX_SCRYPT, 'opening it would take too much time or memory');
const pbkdf2Params = z.looseObject({
  ...derived,
  c: positive.max(MAX_PBKDF2, 'opening it would take too much time'),
  prf: z.literal('hmac-sha256'),
});

const fileSchema = z.looseObject({
  version: z.literal(3),
  address: exactly(20).optional(),
  crypto: z.discriminatedUnion('kdf', [
    z.looseObject({ ...sealed, kdf: z.literal('scrypt'), kdfparams: scryptParams }),
    z.looseObject({ ...sealed, kdf: z.literal('pbkdf2'), kdfparams: pbkdf2Params }),
  ]),
});

export type KeystoreFile = z.output<typeof fileSchema>;

export type JsonObject = Readonly<Record<string, unknown>>;

export const invalidKeystore = (error: string): EngineError =>
  new EngineError('KEYSTORE_INVALID', `This keystore file is unusable: ${error}`);

const objectOf = (text: string): JsonObject => {
  let json: unknown;
  try {
    json = JSON.parse(withoutByteOrderMark(text));
  } catch {
    throw invalidKeystore('it is not JSON');
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json };
  throw invalidKeystore('it is not a JSON object');
};

/**
 * Reads a keystore file without decrypting anything.
 *
 * @returns the parts required for decryption, and the whole content
 * @throws EngineError `KEYSTORE_INVALID`
 */
export const readKeystore = (text: string): { file: KeystoreFile; json: JsonObject } => {
  const json = objectOf(text);
  // ethers writes `Crypto` with a capital letter.
  const result = fileSchema.safeParse({ ...json, crypto: json['crypto'] ?? json['Crypto'] });
  if (result.success) return { file: result.data, json };
  const [issue] = result.error.issues;
  throw invalidKeystore(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`);
};

const pbkdf2Key = promisify(pbkdf2);

const derive = ({ crypto: { kdf, kdfparams } }: KeystoreFile, password: string): Promise<Buffer> =>
  kdf === 'scrypt'
    ? scryptKey(password, kdfparams.salt, { N: kdfparams.n, r: kdfparams.r, p: kdfparams.p })
    : pbkdf2Key(password, kdfparams.salt, kdfparams.c, KEY_BYTES, 'sha256');

const macOf = (key: Buffer, ciphertext: Buffer): string =>
  keccak256(Buffer.concat([key.subarray(16), ciphertext])).slice(2);

/** The address of a private key. @throws EngineError `KEYSTORE_INVALID` if the key is not valid on the curve */
export const addressOf = (privateKey: Buffer): Address => {
  try {
    return computeAddress(`0x${privateKey.toString('hex')}`) as Address;
  } catch {
    throw invalidKeystore('it does not contain a private key');
  }
};

/** Decrypts a private key. The caller must overwrite it after use. @throws EngineError `KEYSTORE_PASSWORD_WRONG` */
export const decryptKeystore = async (file: KeystoreFile, password: string): Promise<Buffer> => {
  const { ciphertext, mac, cipherparams } = file.crypto;
  // ethers normalises passwords to NFKC; geth uses them as typed.
  for (const form of new Set([password.normalize('NFKC'), password])) {
    const key = await derive(file, form);
    try {
      if (macOf(key, ciphertext) !== mac.toString('hex')) continue;
      return createDecipheriv(CIPHER, key.subarray(0, 16), cipherparams.iv).update(ciphertext);
    } finally {
      key.fill(0);
    }
  }
  throw new EngineError('KEYSTORE_PASSWORD_WRONG');
};

export const encryptKeystore = async (
  privateKey: Buffer,
  password: string,
  { N, r, p }: ScryptCost,
  entropy: Entropy,
): Promise<JsonObject> => {
  const [salt, iv] = [Buffer.from(entropy.bytes(SALT_BYTES)), Buffer.from(entropy.bytes(IV_BYTES))];
  const key = await scryptKey(password.normalize('NFKC'), salt, { N, r, p });
  const ciphertext = createCipheriv(CIPHER, key.subarray(0, 16), iv).update(privateKey);
  const mac = macOf(key, ciphertext);
  key.fill(0);
  return {
    version: 3,
    id: entropy.uuid(),
    address: addressOf(privateKey).slice(2).toLowerCase(),
    crypto: {
      cipher: CIPHER,
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { n: N, r, p, dklen: KEY_BYTES, salt: salt.toString('hex') },
      mac,
    },
  };
};
