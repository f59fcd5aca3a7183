import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const electronPackage = join(import.meta.dirname, '..', 'node_modules', 'electron');

/** Gets Electron's binary from the network: `node` runs it. */
export const electronInstaller = join(electronPackage, 'install.js');

/** Electron's binary, which its package brings or not; undefined where there is none. */
export const findElectron = (): string | undefined => {
  // Asking the package itself would begin a download.
  const name = join(electronPackage, 'path.txt');
  if (!existsSync(name)) return undefined;
  const path = join(electronPackage, 'dist', readFileSync(name, 'utf8'));
  return existsSync(path) ? path : undefined;
};
