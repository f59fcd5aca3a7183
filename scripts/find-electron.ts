import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const electronPackage = join(import.meta.dirname, '..', 'node_modules', 'electron');

/** A script for `node` that downloads Electron's binary. */
export const electronInstaller = join(electronPackage, 'install.js');

/** Electron's binary; undefined if the package has not installed it. */
export const findElectron = (): string | undefined => {
  // Does not import the package, because that would start a download.
  const name = join(electronPackage, 'path.txt');
  if (!existsSync(name)) return undefined;
  const path = join(electronPackage, 'dist', readFileSync(name, 'utf8'));
  return existsSync(path) ? path : undefined;
};
