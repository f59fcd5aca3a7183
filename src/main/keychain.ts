import { existsSync, readFileSync } from 'node:fs';
import { safeStorage } from 'electron';
import type { Entropy } from '../engine/base/clock.ts';
import { writeDurably } from '../engine/data-folder/write-durably.ts';
import { Secret } from '../engine/base/secret.ts';

const KEY_BYTES = 32;

/** True if the system keeps secrets. On Linux without a keyring, Electron would use a password known to everybody. */
const isSafe = async (): Promise<boolean> =>
  (await safeStorage.isAsyncEncryptionAvailable()) &&
  (process.platform !== 'linux' || !['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()));

const seal = async (file: string, key: string): Promise<void> =>
  writeDurably(file, (await safeStorage.encryptStringAsync(key)).toString('base64'));

/**
 * The key of the vault, which lies in the file encrypted by the system's keychain; made where there is none. Undefined
 * where the system has no keychain or does not open the file, as on another machine: a passphrase is asked for then.
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
