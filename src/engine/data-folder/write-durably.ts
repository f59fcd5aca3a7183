import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EngineError } from '../../shared/errors.ts';

/**
 * Replaces a file so that, whatever happens meanwhile, either the old or the new content is there in full, and the new
 * one stays once this returns. The file is readable by its owner only.
 *
 * @throws {@link EngineError} `DATA_FOLDER_UNUSABLE`; the old content is untouched
 */
export const writeDurably = (file: string, content: string): void => {
  const temporary = `${file}.new`;
  try {
    rmSync(temporary, { force: true });
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
    syncFolder(dirname(file));
  } catch (cause) {
    throw new EngineError(
      'DATA_FOLDER_UNUSABLE',
      `Cannot write ${file}: ${(cause as Error).message}`,
      { file },
      { cause },
    );
  }
};

/** Makes a rename last. Windows has no such call; NTFS keeps its own journal of names. */
export const syncFolder = (folder: string): void => {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
