import { existsSync, readFileSync } from 'node:fs';
import { safeStorage } from 'electron';
import type { Entropy } from '../engine/base/clock.ts';
import { writeDurably } from '../engine/data-folder/write-durably.ts';
import { Secret } from '../engine/base/secret.ts';

const KEY_BYTES = 32;

/**
 * True if the system protects secrets. On Linux without a keyring, Electron would encrypt with a well-known password.
 */
const isSafe = async (): Promise<boolean> =>
  (await safeStorage.isAsyncEncryptionAvailable()) &&
  (process.platform !== 'linux' || !['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()));

const seal = async (file: string, key: string): Promise<void> =>
  writeDurably(file, (await safeStorage.encryptStringAsync(key)).toString('base64'));

/**
 * Reads the vault's key from a file that the system's keychain encrypts, and creates it if the file is missing.
 * Undefined if the system has no keychain or cannot decrypt the file, for example on another machine. The operator then
 * enters a passphrase.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE`
 */
export const keychainKey = async (file: string, entropy: Entropy): Promise<Secret<Uint8Array> | undefined> => {
  if (!(await isSafe())) return undefined;
  if (!existsSync(file)) {
    const key = Buffer.from(entropy.bytes(KEY_BYTES)).toString('base64');
    await seal(file, key);
  }
  try {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(
      Buffer.from(readFileSync(file, 'utf8'), 'base64'),
    );
    if (shouldReEncrypt) await seal(file, result);
    return new Secret(Buffer.from(result, 'base64'));
  } catch {
    return undefined;
  }
};
