import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In memory, if the system has such a folder: a simulated disk needs no real flush. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const makeFolder = (): string => mkdtempSync(join(PARENT, 'gasdesk-simulation-'));

/** A simulation verifies its log itself, so a folder need not be checked before it is removed. */
export const removeFolder = (dir: string): void => {
  // eslint-disable-next-line no-restricted-syntax -- see above
  rmSync(dir, { recursive: true, force: true });
};
