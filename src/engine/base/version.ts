import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const manifest = z.object({ version: z.string() });

/** The nearest package.json in or above this file's folder. In the bundle, this file is at a different depth. */
const manifestFile = (): string => {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'package.json');
};

export const version: string = manifest.parse(JSON.parse(readFileSync(manifestFile(), 'utf8'))).version;
