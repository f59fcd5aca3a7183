import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../base/log.ts';
import { lockDataFolder, lockFile, pidFile } from './lock.ts';

/** What lies in the clear for a while, such as a backup that is looked at: only its owner can enter it. */
export interface TemporaryFolder {
  readonly dir: string;
  /** Removes it and everything in it. */
  readonly remove: () => Promise<void>;
}

const NAME = /^gasdesk-(review|report)-\w+$/;

/**
 * Makes a folder among the temporary files of the system. It is locked as long as this process lives, so that what a
 * killed one leaves can be told from what is in use.
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

/** True for a folder, no link, of the user that this process works for. */
const isOwn = (dir: string): boolean => {
  const there = lstatSync(dir);
  return there.isDirectory() && (process.getuid === undefined || there.uid === process.getuid());
};

/** Removes a folder that no living process holds. The number of the process is written once the lock is taken. */
const removeIfAbandoned = (dir: string): void => {
  if (!isOwn(dir) || !existsSync(pidFile(dir))) return;
  lockDataFolder(dir).release();
  rmSync(dir, { recursive: true, force: true });
};

/** Removes the temporary folders of this user whose processes were killed. What cannot be removed is left. */
export const removeAbandonedFolders = (log: Log): void => {
  const root = tmpdir();
  const names = existsSync(root) ? readdirSync(root).filter((name) => NAME.test(name)) : [];
  for (const name of names) {
    try {
      removeIfAbandoned(join(root, name));
    } catch (error) {
      // Most are in use.
      log.debug('temporary.kept', { err: error });
    }
  }
};
