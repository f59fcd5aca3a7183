import { existsSync, readFileSync } from 'node:fs';
import { safeStorage } from 'electron';
import type { Entropy } from '../engine/clock.ts';
import { writeDurably } from '../engine/data-folder/write-durably.ts';
import { Secret } from '../engine/secret.ts';

const KEY_BYTES = 32;

/** True if the system keeps secrets. On Linux without a keyring, Electron would use a password known to everybody. */
const isSafe = (): boolean =>
  safeStorage.isEncryptionAvailable() &&
  (process.platform !== 'linux' || !['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()));

/**
 * The key of the vault, which lies in the file encrypted by the system's keychain; made where there is none. Undefined
 * where the system has no keychain or does not open the file, as on another machine: a passphrase is asked for then.
 *
 * @throws EngineError `DATA_FOLDER_UNUSABLE`
 */
export const keychainKey = (file: string, entropy: Entropy): Secret<Uint8Array> | undefined => {
  if (!isSafe()) return undefined;
  if (!existsSync(file)) {
    const key = Buffer.from(entropy.bytes(KEY_BYTES)).toString('base64');
    writeDurably(file, safeStorage.encryptString(key).toString('base64'));
  }
  try {
    const key = safeStorage.decryptString(Buffer.from(readFileSync(file, 'utf8'), 'base64'));
    return new Secret(Buffer.from(key, 'base64'));
  } catch {
    return undefined;
  }
};
