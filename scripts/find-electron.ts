import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** Gets Electron's binary from the network: `node` runs it. */
export const electronInstaller = join(import.meta.dirname, '..', 'node_modules', 'electron', 'install.js');

/** Electron's binary, which its package brings or not; undefined where there is none. */
export const findElectron = (): string | undefined => {
  try {
    // Outside of Electron the package's export is the path.
    const path = require('electron') as string;
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
};
