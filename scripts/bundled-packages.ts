import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';

/** All builds run in the root. Vite bundles its configuration, so this file's own place is not known there. */
const root = process.cwd();
const FOLDER = join(root, '.cache', 'bundled');

/** A module's package: the folder after the last `node_modules`. */
const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Records whose packages a bundle contains, for the list that is published with it. @param name of the bundle */
export const recordPackages = (name: string): Plugin => ({
  name: 'record-packages',
  generateBundle() {
    const folders = new Set<string>();
    for (const id of this.getModuleIds()) {
      const [, folder] = PACKAGE.exec(id.replace('\0', '')) ?? [];
      if (folder !== undefined) folders.add(relative(root, folder));
    }
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${name}.json`), JSON.stringify([...folders].sort()));
  },
});

/** Folders of all packages in the recorded bundles. */
export const recordedPackages = (): string[] => {
  const lists = readdirSync(FOLDER).map(
    (file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as readonly string[],
  );
  return [...new Set(lists.flat())].map((folder) => join(root, folder));
};
