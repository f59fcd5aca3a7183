import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** SHA-256 of each file in a folder and its subfolders, by path; folders are listed without a hash. */
export const folderHash = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry): [string, string] => {
        const path = join(entry.parentPath, entry.name);
        const hash = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder';
        return [path.slice(dir.length), hash];
      })
      .sort(),
  );
