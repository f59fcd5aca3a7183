import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `resources` in the nearest folder above this file that has one. In the bundle, this file is at a different depth. */
export const resourcesFolder = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'resources')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'resources');
};
