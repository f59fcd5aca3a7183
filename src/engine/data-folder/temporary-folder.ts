import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../base/log.ts';
import { lockDataFolder, lockFile, pidFile } from './lock.ts';

/** A folder for unencrypted temporary files, such as an opened backup. Only its owner can enter it. */
export interface TemporaryFolder {
  readonly dir: string;
  readonly remove: () => Promise<void>;
}

const NAME = /^gasdesk-(review|report)-\w+$/;

/**
 * Creates a temporary folder. It stays locked while this process lives, which distinguishes it from folders that killed
 * processes left.
 */
export const makeTemporaryFolder = (kind: 'review' | 'report'): TemporaryFolder => {
  const dir = mkdtempSync(join(tmpdir(), `gasdesk-${kind}-`));
  try {
    writeFileSync(lockFile(dir), '', { mode: 0o600 });
    const lock = lockDataFolder(dir);
    return {
      dir,
      remove: () => {
        lock.release();
        return rm(dir, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
};

/** True for a folder (not a link) that belongs to the user who runs this process. */
const isOwn = (dir: string): boolean => {
  const there = lstatSync(dir);
  return there.isDirectory() && (process.getuid === undefined || there.uid === process.getuid());
};

/** Removes a folder that no living process has locked. A process writes its id only after it has taken the lock. */
const removeIfAbandoned = (dir: string): void => {
  if (!isOwn(dir) || !existsSync(pidFile(dir))) return;
  lockDataFolder(dir).release();
  rmSync(dir, { recursive: true, force: true });
};

/** Removes temporary folders that killed processes of this user left. A folder that cannot be removed is kept. */
export const removeAbandonedFolders = (log: Log): void => {
  const root = tmpdir();
  const names = existsSync(root) ? readdirSync(root).filter((name) => NAME.test(name)) : [];
  for (const name of names) {
    try {
      removeIfAbandoned(join(root, name));
    } catch (error) {
      // Most of these are still in use.
      log.debug('temporary.kept', { err: error });
    }
  }
};
