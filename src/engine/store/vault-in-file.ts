import { readFileSync } from 'node:fs';
import { EngineError } from '../../shared/errors.ts';
import { writeDurably } from '../data-folder/write-durably.ts';
import type { VaultStorage } from './database.ts';

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new EngineError('DATA_FOLDER_UNUSABLE', `Cannot read ${file}: ${message}`, { file }, { cause });
  }
};

/** The vault in a private file, which need not exist yet. Only one process may use it: hold the data folder's lock. */
export const vaultInFile = (file: string): VaultStorage => ({
  name: file,
  current: () => read(file),
  // No await between reading and writing, so nothing can come between.
  async update(change) {
    const newest = read(file);
    const next = change(newest);
    if (next !== newest) writeDurably(file, next);
  },
});
