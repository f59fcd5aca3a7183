import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** An `xdg-open` in a folder, which keeps the address that it is given. */
export const fakeOpener = (dir: string): { readonly env: NodeJS.ProcessEnv; opened(): Promise<string> } => {
  const opened = join(dir, 'opened');
  writeFileSync(join(dir, 'xdg-open'), `#!/bin/sh\necho "$@" > '${opened}.new'; mv '${opened}.new' '${opened}'\n`);
  chmodSync(join(dir, 'xdg-open'), 0o755);
  return {
    env: { PATH: `${dir}:${process.env['PATH'] ?? ''}` },
    async opened() {
      await expect.poll(() => existsSync(opened)).toBe(true);
      return readFileSync(opened, 'utf8').trim();
    },
  };
};
