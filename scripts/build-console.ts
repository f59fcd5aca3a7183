import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Written last, so that its time is the time of the build. Outside of `out`, which is packed entirely. */
const stamp = join(root, '.cache', 'console-built');
const pages = ['renderer', 'playground'].map((part) => join(root, 'out', part, 'index.html'));
const sources = ['src', 'electron.vite.config.ts', 'scripts/build-playground.ts', 'package-lock.json'];

/** Latest modification time of the file or of anything in the folder, epoch ms. */
export const newestOf = (path: string): number => {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestOf(join(path, name))));
};

const builtAt = (): number => ([stamp, ...pages].every((file) => existsSync(file)) ? statSync(stamp).mtimeMs : 0);

const run = (script: string, ...args: string[]): void => {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('The console cannot be built');
};

/**
 * Builds main, preload, renderer and playground into `out`, unless they are newer than all their inputs.
 *
 * @throws Error if the build fails; standard error has the reason
 */
export const buildConsole = (): void => {
  if (sources.every((source) => newestOf(join(root, source)) < builtAt())) return;
  console.error('Building the console…');
  run('node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'error');
  run('scripts/build-playground.ts');
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, '');
};
