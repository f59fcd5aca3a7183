import { spawnSync } from 'node:child_process';
import { appendFileSync, rmdirSync } from 'node:fs';
import { makeTempFolder } from './temp-folder.ts';

const succeeds = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Mounts a file system of `mib` MiB for its owner only; false if this process may not mount. */
export const mountSmall = (dir: string, mib = 1): boolean =>
  succeeds('mount', '-t', 'tmpfs', '-o', `size=${mib}m,mode=700`, 'tmpfs', dir);

export const unmount = (dir: string): boolean => succeeds('umount', '-l', dir);

/** Mounting needs rights that most machines do not give to a test. */
export const canMount = ((): boolean => {
  const dir = makeTempFolder();
  const mounted = mountSmall(dir);
  if (mounted) unmount(dir);
  rmdirSync(dir);
  return mounted;
})();

/** Uses up the free space on the file's disk. */
export const fillUp = (file: string): void => {
  for (let size = 2 ** 19; size >= 1; size /= 2) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch {
      // No room for this size; the half may fit.
    }
  }
};
