import { createCipheriv, createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import type { Entropy } from '../base/clock.ts';
import type { Secret } from '../base/secret.ts';
import { type ScryptCost, scryptKey } from './scrypt-key.ts';

/**
 * The secret that unlocks the vault: a passphrase, or 32 random bytes that are stored safely elsewhere (in the OS
 * keychain).
 */
export type Unlocker = { readonly passphrase: Secret<string> } | { readonly key: Secret<Uint8Array> };

const VERSION = 1;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const base64 = z.base64('is not base64');

/** Limits the cost of opening a file of unknown origin: 1 GiB of memory and a few seconds. */
const scryptSchema = z.strictObject({
  N: z
    .int()
    .min(2)
    .max(2 ** 20)
    .refine((n) => Number.isInteger(Math.log2(n)), 'is not a power of two'),
  r: z.int().min(1).max(8),
  p: z.int().min(1).max(4),
  salt: base64,
});

const vaultFileSchema = z.strictObject({
  format: z.literal('gasdesk-vault', 'is not "gasdesk-vault"'),
  version: z.literal(VERSION, `is not ${VERSION}, the only version that this Gasdesk reads`),
  /**
   * The data key, encrypted once for each unlocker. Any one unlocker is enough to unlock the vault, and changing one does
   * not affect the entries.
   */
  locks: z.strictObject({
    passphrase: z.strictObject({ scrypt: scryptSchema, dataKey: base64 }).optional(),
    key: z.strictObject({ dataKey: base64 }).optional(),
  }),
  /**
   * All entries are encrypted together. So none can be removed, exchanged or reset to an old value, and no name can be
   * read.
   */
  entries: base64,
});

/** The stored vault. Each encrypted value is base64 of IV, ciphertext and tag of AES-256-GCM. */
export type VaultFile = z.infer<typeof vaultFileSchema>;

type PassphraseLock = NonNullable<VaultFile['locks']['passphrase']>;

export const damaged = (place: string, error: string): EngineError =>
  new EngineError('VAULT_DAMAGED', `The vault in ${place} is damaged: ${error}. Restore it from a backup`, { place });

/**
 * Parses the vault in `place`, without decrypting anything.
 *
 * @throws {@link EngineError} `VAULT_DAMAGED`
 */
export const readVaultFile = (place: string, text: string): VaultFile => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw damaged(place, 'it is not JSON');
  }
  const result = vaultFileSchema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw damaged(place, `${['vault', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'unreadable'}`);
};

export const vaultFileText = (content: Omit<VaultFile, 'format' | 'version'>): string =>
  `${JSON.stringify({ format: 'gasdesk-vault', version: VERSION, ...content }, null, 2)}\n`;

/**
 * Encrypts and authenticates with AES-256-GCM. `purpose` prevents the use of one encrypted value in place of another.
 */
export const seal = (key: Uint8Array, plain: Uint8Array, purpose: string, entropy: Entropy): string => {
  const iv = entropy.bytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad(purpose));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64');
};

/** Decrypts what `seal` returned; undefined with another key or for an altered value. */
export const unseal = (key: Uint8Array, box: string, purpose: string): Buffer | undefined => {
  const bytes = Buffer.from(box, 'base64');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aad(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
  const plain = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return undefined;
  }
};

const aad = (purpose: string): Buffer => Buffer.from(`gasdesk-vault:${VERSION}:${purpose}`);

/**
 * Encrypts the data key for an unlocker.
 *
 * @throws {@link EngineError} `VAULT_PASSPHRASE_WRONG` if the unlocker is unusable: an empty passphrase, a short key
 */
export const lockDataKey = async (
  dataKey: Uint8Array,
  unlocker: Unlocker,
  cost: ScryptCost,
  entropy: Entropy,
): Promise<VaultFile['locks']> => {
  if ('key' in unlocker) return { key: { dataKey: seal(checkedKey(unlocker.key), dataKey, 'key', entropy) } };
  if (unlocker.passphrase.reveal() === '')
    throw new EngineError('VAULT_PASSPHRASE_WRONG', 'The passphrase must not be empty');
  const salt = entropy.bytes(SALT_BYTES);
  const wrappingKey = await deriveKey(unlocker.passphrase, salt, cost);
  return {
    passphrase: {
      scrypt: { ...cost, salt: Buffer.from(salt).toString('base64') },
      dataKey: seal(wrappingKey, dataKey, 'passphrase', entropy),
    },
  };
};

/**
 * Decrypts the data key.
 *
 * @throws {@link EngineError} `VAULT_PASSPHRASE_WRONG`
 */
export const unlockDataKey = async (locks: VaultFile['locks'], unlocker: Unlocker): Promise<Buffer> => {
  const byKey = 'key' in unlocker;
  const word = byKey ? 'key' : 'passphrase';
  const lock = locks[word];
  if (!lock) throw new EngineError('VAULT_PASSPHRASE_WRONG', `A ${word} does not unlock this vault`);
  const wrappingKey = byKey
    ? checkedKey(unlocker.key)
    : locks.passphrase && (await keyOf(unlocker.passphrase, locks.passphrase));
  const dataKey = wrappingKey && unseal(wrappingKey, lock.dataKey, word);
  if (!dataKey) throw new EngineError('VAULT_PASSPHRASE_WRONG', `Wrong ${word}: the vault stays locked`);
  return dataKey;
};

const deriveFor = (passphrase: Secret<string>, { scrypt }: PassphraseLock): Promise<Buffer> =>
  deriveKey(passphrase, Buffer.from(scrypt.salt, 'base64'), scrypt);

/** Derivations that were started before their keys were needed, each for one use. */
const begun = new WeakMap<Secret<string>, { readonly lock: PassphraseLock; readonly key: Promise<Buffer> }>();

/**
 * Begins to derive the key that unlocks the vault in a file. The derivation takes a third of a second on another
 * thread, while the engine loads. Does nothing if the file has no vault with a passphrase; unlocking then reports the
 * error.
 */
export const beginDerivation = (file: string, passphrase: Secret<string>): void => {
  try {
    const { passphrase: lock } = readVaultFile(file, readFileSync(file, 'utf8')).locks;
    if (lock === undefined) return;
    const key = deriveFor(passphrase, lock);
    key.catch(() => undefined);
    begun.set(passphrase, { lock, key });
  } catch {
    // The file is missing or damaged.
  }
};

const keyOf = (passphrase: Secret<string>, lock: PassphraseLock): Promise<Buffer> => {
  const early = begun.get(passphrase);
  begun.delete(passphrase);
  // The salt differs if the lock has been replaced since the derivation was started.
  return early !== undefined && isDeepStrictEqual(early.lock, lock) ? early.key : deriveFor(passphrase, lock);
};

const checkedKey = (key: Secret<Uint8Array>): Uint8Array => {
  if (key.reveal().length !== KEY_BYTES)
    throw new EngineError('VAULT_PASSPHRASE_WRONG', `The vault's key must have ${KEY_BYTES} bytes`);
  return key.reveal();
};

/** Derives a key from a passphrase in NFKC, because keyboards compose the same letter differently. */
export const deriveKey = (passphrase: Secret<string>, salt: Uint8Array, cost: ScryptCost): Promise<Buffer> =>
  scryptKey(passphrase.reveal().normalize('NFKC'), salt, cost);
