import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Written last, so that its time tells when everything was built. */
const stamp = join(root, 'out', '.built');
/** What the bundles are made of. */
const sources = ['src', 'electron.vite.config.ts', 'package-lock.json'];

const newestOf = (path: string): number => {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestOf(join(path, name))));
};

const builtAt = (): number => {
  try {
    return statSync(stamp).mtimeMs;
  } catch {
    return 0;
  }
};

/**
 * Builds main, preload and renderer into `out`, unless they are newer than all that they are made of.
 *
 * @throws Error if the build fails; what is wrong is on standard error
 */
export const buildConsole = (): void => {
  if (sources.every((source) => newestOf(join(root, source)) < builtAt())) return;
  const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const { status } = spawnSync(process.execPath, [electronVite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('The console cannot be built');
  writeFileSync(stamp, '');
};
