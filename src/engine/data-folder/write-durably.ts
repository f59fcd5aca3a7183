import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EngineError } from '../../shared/errors.ts';

/**
 * Replaces a file atomically and durably: after a crash it contains either the complete old or the complete new
 * content. When this returns, the new content is on disk. Only the owner can read the file.
 *
 * @throws {@link EngineError} `DATA_FOLDER_UNUSABLE`; the old content is then unchanged
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

/** Makes a rename durable. Windows has no such call, but NTFS journals file names itself. */
export const syncFolder = (folder: string): void => {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
