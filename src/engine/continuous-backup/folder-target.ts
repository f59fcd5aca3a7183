import { existsSync } from 'node:fs';
import { type FileHandle, link, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type Entropy, systemEntropy } from '../base/clock.ts';
import { syncFolder } from '../data-folder/write-durably.ts';
import type { CopyTarget } from './target.ts';

/** Files that are still being written have this ending. */
const PARTIAL = '.new';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Creates a folder and those above it, so that they survive a power failure. */
const makeFolder = async (dir: string): Promise<void> => {
  if (existsSync(dir)) return;
  await makeFolder(dirname(dir));
  await mkdir(dir, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  syncFolder(dirname(dir));
};

const writePartial = async (path: string, bytes: Uint8Array): Promise<void> => {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'w', 0o600);
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file?.close();
  }
};

/** A folder, such as a mounted disk of another machine. */
export const folderTarget = (dir: string, entropy: Pick<Entropy, 'uuid'> = systemEntropy): CopyTarget => {
  const pathOf = (name: string): string => join(dir, ...name.split('/'));
  return {
    name: dir,
    async list(prefix) {
      // Folders can be listed only as a whole.
      const under = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const found = await readdir(pathOf(under), { recursive: true, withFileTypes: true }).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      return found
        .filter((entry) => entry.isFile() && !entry.name.endsWith(PARTIAL))
        .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .filter((name) => name.startsWith(prefix))
        .sort();
    },
    async read(name) {
      return readFile(pathOf(name)).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
    },
    async write(name, bytes) {
      const path = pathOf(name);
      await makeFolder(dirname(path));
      await writePartial(path + PARTIAL, bytes);
      await rename(path + PARTIAL, path);
      syncFolder(dirname(path));
    },
    async create(name, bytes) {
      const path = pathOf(name);
      const partial = `${path}-${entropy.uuid()}${PARTIAL}`;
      await makeFolder(dirname(path));
      try {
        await writePartial(partial, bytes);
        // Unlike a rename, a link never replaces a file.
        await link(partial, path);
        syncFolder(dirname(path));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
        throw error;
      } finally {
        await rm(partial, { force: true });
      }
    },
    async remove(names) {
      for (const name of names) await rm(pathOf(name), { force: true });
    },
  };
};
